"""The table of the MCP clients whose configuration files list servers, and where those files are.

Paths may begin with `~` and contain `$NAME`; those of the user are by `sys.platform`, "" for every platform.
The files are only read, never written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

_MAC = "~/Library/Application Support"


@dataclass(frozen=True, slots=True)
class KnownClient:
    """A client, and the form of its files."""

    name: str
    members: tuple[tuple[str, ...], ...] = (("mcpServers",),)  # paths to the objects with servers; `*` is any member
    in_project: tuple[str, ...] = ()  # relative to the folder of a project
    of_user: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def user_files(self, platform: str) -> tuple[str, ...]:
        return self.of_user.get(platform, ()) + self.of_user.get("", ())


CLIENTS: tuple[KnownClient, ...] = (
    KnownClient(
        "Claude Code",
        members=(("mcpServers",), ("projects", "*", "mcpServers")),
        in_project=(".mcp.json",),
        of_user={"": ("~/.claude.json",)},
    ),
    KnownClient(
        "Claude Desktop",
        of_user={
            "linux": ("~/.config/Claude/claude_desktop_config.json",),
            "darwin": (f"{_MAC}/Claude/claude_desktop_config.json",),
            "win32": ("$APPDATA/Claude/claude_desktop_config.json",),
        },
    ),
    KnownClient("Cursor", in_project=(".cursor/mcp.json",), of_user={"": ("~/.cursor/mcp.json",)}),
    KnownClient(
        "VS Code",
        members=(("servers",), ("mcp", "servers")),
        in_project=(".vscode/mcp.json",),
        of_user={
            "linux": ("~/.config/Code/User/mcp.json", "~/.config/Code/User/settings.json"),
            "darwin": (f"{_MAC}/Code/User/mcp.json", f"{_MAC}/Code/User/settings.json"),
            "win32": ("$APPDATA/Code/User/mcp.json", "$APPDATA/Code/User/settings.json"),
        },
    ),
    KnownClient("Windsurf", of_user={"": ("~/.codeium/windsurf/mcp_config.json",)}),
    KnownClient(
        "Zed",
        members=(("context_servers",),),
        in_project=(".zed/settings.json",),
        of_user={
            "linux": ("~/.config/zed/settings.json",),
            "darwin": ("~/.config/zed/settings.json",),
            "win32": ("$APPDATA/Zed/settings.json",),
        },
    ),
    # The name that several clients, and many READMEs of servers, use.
    KnownClient("mcp.json", members=(("mcpServers",), ("servers",)), in_project=("mcp.json",)),
)
"""The clients, in the order in which their servers are listed."""
