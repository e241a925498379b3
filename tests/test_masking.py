"""Which modules mask secrets: those that the table in ARCHITECTURE.md lists, and no others."""

import ast
from collections.abc import Callable

from tests.test_layers import ROOT, imports_of, modules

MASKING = {
    "server_core.execution.context.context",
    "server_core.link.masked_outlet",
    "server_core.link.question_methods",
    "server_core.middleware.telemetry",
    "server_core.oauth.tokens",
    "server_core.process.author_notes",
    "server_core.process.stray_lines",
    "server_core.records.tap",
    "server_core.serving.middleware_chain",
    "server_core.serving.session_info",
    "server_core.serving.tool_backend",
    "server_core.telemetry.startup",
    "server_core.transports.child",
    "workbench.cli.call_order",
    "workbench.testing.conversation",
}
"""They call a masker."""
MASKERS = {
    "server_core.auth.broker.account_grants",  # Makes tokens known to it.
    "server_core.execution.context.context",
    "server_core.link.masked_outlet",
    "server_core.oauth.tokens",
    "server_core.records.tap",
    "server_core.serving.backend",  # Passes it to the connection of a relay.
    "server_core.transports.child",
    "workbench.cli.call_order",
}
"""They import `Masker`."""
REDACTING = {
    "server_core.adapters.adapter",
    "server_core.execution.failures",
    "server_core.execution.tracebacks",
    "server_core.middleware.logging",
    "server_core.telemetry.collector",
    "server_core.execution.outgoing_http",
    "server_core.telemetry.spans",
}
"""They import `redact`, which removes what has the form of a credential."""
METHODS = {"mask", "mask_text", "mask_value", "mask_rest", "presentable_length", "settled_length"}
OWN = "server_core.records.masking"


def test_only_the_listed_modules_import_masker() -> None:
    assert importing(lambda name: name.startswith(f"{OWN}.") and name.endswith(".Masker")) == MASKERS


def test_only_the_listed_modules_mask() -> None:
    assert {name for name in modules() if not name.startswith(OWN) and calls_masker(name)} == MASKING


def test_only_the_listed_modules_redact() -> None:
    assert importing(lambda name: name == "server_core.adapters.redaction.redact") == REDACTING


def test_the_architecture_lists_every_place() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    paths = (modules()[name].relative_to(ROOT).as_posix().removeprefix("server_core/") for name in MASKING | REDACTING)
    assert [path for path in paths if f"`{path}`" not in text and f"`{path.rpartition('/')[2]}`" not in text] == []


def importing(is_meant: Callable[[str], bool]) -> set[str]:
    """Return the modules that import such a name."""
    return {
        module
        for module in modules()
        if not module.startswith(OWN) and any(is_meant(entry.name) for entry in imports_of(module))
    }


def calls_masker(module: str) -> bool:
    """Return whether a module uses a method of a masker: `tap.masker.mask_text`, `self._masker.mask`."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in METHODS and "masker" in ast.unparse(node.value).lower()
        for node in ast.walk(ast.parse(modules()[module].read_text(encoding="utf-8")))
    )
