"""What authors write: `MCPApp`, the decorators, `Header` and the catalog that an author fills by hand."""
