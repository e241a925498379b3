"""The classes and decorators that authors use: `MCPApp`, `@tool`, `Header`, `ToolCatalog` and others."""
