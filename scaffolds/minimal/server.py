"""The server: how it names itself. The tools are in `tools/`, and in any Python file beside this one."""

from server_core import MCPApp

app = MCPApp(
    name="workbench_demo",
    version="0.1.0",
    instructions="Explain here what a model should know to use these tools.",
)
