"""Check the arguments of `@tool`, except schemas and examples, and convert them for a tool.

Every value from an author is checked before it is used, so that all mistakes are reported, and none is raised.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, get_args

from server_core.auth.requirement import AuthRequirement
from server_core.catalog.building.metadata_checks import faults_of
from server_core.catalog.building.offer_options import option_findings as common_findings
from server_core.catalog.building.signature import DefinitionFinding
from server_core.catalog.declarations import ResourceDeclaration, ToolDeclaration, declaration_of
from server_core.catalog.definitions import TaskSupport
from server_core.catalog.naming import ToolNames
from server_core.catalog.toolkit import Toolkit
from server_core.metadata import ToolMetadataKey
from server_core.secrets.secret_names import fault_of_name

Json: TypeAlias = dict[str, Any]

MAX_RETRIES = 10
# server/tools, tool names (2025-11-25): 1 to 128 of these.
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}")


def option_findings(names: ToolNames, declaration: ToolDeclaration) -> list[DefinitionFinding]:
    """Return the findings about the options of `@tool`, except schemas and examples."""
    return common_findings(declaration) + [
        finding if finding.part else replace(finding, part=f"@{argument}")
        for argument, check in _CHECKS
        for finding in check(names, declaration)
    ]


def deduplicate(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys without duplicates, ignoring case; the first spelling is used."""
    spellings: dict[str, str] = {}
    for key in keys:
        spellings.setdefault(key.lower(), str(key))
    return tuple(spellings.values())


def task_support_of(execution: Any) -> TaskSupport | None:
    """Return the declared task support, None if invalid. Source: 2025-11-25, basic/utilities/tasks, negotiation."""
    if execution is None:
        return "forbidden"
    match execution if isinstance(execution, Mapping) else getattr(execution, "__dict__", None):
        case {"taskSupport": "forbidden" | "optional" | "required" as support, **others} if not others:
            task_support: TaskSupport = support
            return task_support
    return None


def ui_uri(ui: Any, toolkit: Toolkit | None = None) -> str | None:
    """Return the URI of the resource that displays a tool of a toolkit; None when there is none."""
    declared = ui_resource_of(ui)
    uri = ui if declared is None else declared.uri_in(toolkit)
    return uri if isinstance(uri, str) and uri else None


def ui_resource_of(ui: Any) -> ResourceDeclaration | None:
    """Return the declaration of the resource that displays a tool; None when the author gave a URI or nothing."""
    declared = declaration_of(ui) if callable(ui) else ui
    return declared if isinstance(declared, ResourceDeclaration) else None


def _check_name(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    if not _TOOL_NAME.fullmatch(names.wire):
        by_toolkit = names.toolkit is not None and _TOOL_NAME.fullmatch(names.tool)
        yield DefinitionFinding(
            "Clients reject this name: it must have 1 to 128 letters of a to z, digits, `_`, `-` and `.`.",
            "Give the app a shorter name, or a `toolkit=`." if by_toolkit else 'Write `@tool(name="...")`.',
        )


def _check_meta(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    meta = declaration.options.get("meta")
    if isinstance(meta, dict) and "arcade" in meta:
        message = "The 'arcade' key in meta is reserved. Use the 'metadata' parameter (ToolMetadata) instead."
        yield DefinitionFinding(message, "Move it to `metadata=ToolMetadata(extras={...})`.")


def _check_secrets(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    keys, fix = declaration.options.get("requires_secrets", ()), 'Write `requires_secrets=["API_KEY"]`.'
    if not _is_list(keys):
        yield DefinitionFinding("The secrets must be a list of keys.", fix)
    elif any(not isinstance(key, str) for key in keys):
        yield DefinitionFinding(f"Secret keys must be strings (error in tool {names.tool}).", fix)
    elif any(not key.strip() for key in keys):
        yield DefinitionFinding(f"Secrets must have a non-empty key (error in tool {names.tool}).", fix)
    else:
        for fault, advice in filter(None, map(fault_of_name, keys)):
            yield DefinitionFinding(
                f"{fault}, so every call is refused.", f"In `requires_secrets`, {advice}", warning=True
            )


def _check_metadata_keys(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    keys, fix = declaration.options.get("requires_metadata", ()), 'Write `requires_metadata=["client_id"]`.'
    if not _is_list(keys):
        yield DefinitionFinding("The required metadata must be a list of keys.", fix)
    elif any(not isinstance(key, str) for key in keys):
        yield DefinitionFinding(f"Metadata must be strings (error in tool {names.tool}).", fix)
    elif any(not key.strip() for key in keys):
        yield DefinitionFinding(f"Metadata must have a non-empty key (error in tool {names.tool}).", fix)
    elif declaration.options.get("requires_auth") is None:
        for key in ToolMetadataKey:
            if key.requires_auth and key in (value.lower() for value in keys):
                yield DefinitionFinding(
                    f"Tool {names.tool} declares metadata key '{key}', which requires that the tool has an auth "
                    "requirement, but no auth requirement was provided. Please specify an auth requirement.",
                    'Write `requires_auth=GitHub(scopes=["repo"])`, or the class of another service.',
                )


def _check_auth(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    auth = declaration.options.get("requires_auth")
    if auth is not None and not isinstance(auth, AuthRequirement):
        message = f"Its requires_auth is {type(auth).__name__}, not a provider."
        yield DefinitionFinding(message, 'Write `requires_auth=GitHub(scopes=["repo"])`, from `server_core.auth`.')


def _check_metadata(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    if (metadata := declaration.options.get("metadata")) is not None:
        for fault in faults_of(metadata):
            yield DefinitionFinding(fault, "Correct the `metadata=ToolMetadata(...)` of the decorator.")


def _check_timeout(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    timeout = declaration.options.get("timeout")
    if timeout is not None and not _is_duration(timeout):
        yield DefinitionFinding(
            f"The timeout {timeout!r} is not a number of seconds above zero.", "Write it as in `timeout=30`."
        )


def _check_retries(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    retries = declaration.options.get("retries", 0)
    if not isinstance(retries, int) or isinstance(retries, bool) or not 0 <= retries <= MAX_RETRIES:
        message = f"The retries {retries!r} are not a whole number from 0 to {MAX_RETRIES}."
        yield DefinitionFinding(message, "Write it as in `retries=2`.")


def _check_adapters(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    adapters, fix = declaration.options.get("adapters", ()), "Give it a `slug` and a method `from_exception(error)`."
    if not _is_list(adapters):
        yield DefinitionFinding("The adapters must be a list.", "Write `adapters=[MyAdapter()]`.")
    elif invalid := [adapter for adapter in adapters if not callable(getattr(adapter, "from_exception", None))]:
        kinds = ", ".join(type(adapter).__name__ for adapter in invalid)
        yield DefinitionFinding(f"All adapters must follow the ErrorAdapter protocol. Invalid adapters: {kinds}", fix)


def _check_execution(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    execution = declaration.options.get("execution")
    if task_support_of(execution) is None:
        choices = " or ".join(f'"{choice}"' for choice in get_args(TaskSupport))
        message = f"Its execution is {execution!r}, which is not valid."
        yield DefinitionFinding(message, f'Write `execution={{"taskSupport": "optional"}}`: {choices}.')


def _check_ui(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    ui = declaration.options.get("ui")
    if ui is not None and ui_uri(ui, names.toolkit) is None:
        message = f"Its ui is {type(ui).__name__}, neither a URI nor a resource."
        yield DefinitionFinding(
            message, 'Write `ui="ui://charts/sales"`, or pass the function that `@resource` declares.'
        )


def _check_deprecation(names: ToolNames, declaration: ToolDeclaration) -> Iterator[DefinitionFinding]:
    if declaration.deprecation is not None and not isinstance(declaration.deprecation, str):
        message = "@tool.deprecated needs a string that names the replacement."
        yield DefinitionFinding(message, 'Write `@tool.deprecated("Use other_tool.")`.')


_CHECKS: tuple[tuple[str, Callable[[ToolNames, ToolDeclaration], Iterator[DefinitionFinding]]], ...] = (
    ("name", _check_name),
    ("meta", _check_meta),
    ("requires_secrets", _check_secrets),
    ("requires_metadata", _check_metadata_keys),
    ("requires_auth", _check_auth),
    ("metadata", _check_metadata),
    ("timeout", _check_timeout),
    ("retries", _check_retries),
    ("adapters", _check_adapters),
    ("execution", _check_execution),
    ("ui", _check_ui),
    ("deprecated", _check_deprecation),
)
"""The checks, each with the argument of the decorator that it mainly concerns."""


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | set | frozenset) and not isinstance(value, str | bytes)


def _is_duration(value: Any) -> bool:
    # `True` is an int in Python, and certainly a mistake here.
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")
