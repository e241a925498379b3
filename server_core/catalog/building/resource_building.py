"""Build the resource or template of a declaration, and the findings about it.

The function receives the parts of the URI by their names. A first parameter that is not a part and has no default
receives the URI itself, as in every resource written for Arcade.
"""

import os
import re
from pathlib import Path
from typing import Any, TypeAlias

from server_core.catalog.building.argument_schemas import has_default, text_binder
from server_core.catalog.building.completion_sources import completions_of_types, read_completions
from server_core.catalog.building.offer_options import descriptive_options, option_findings
from server_core.catalog.building.parameter_names import advertised_name
from server_core.catalog.building.signature import DefinitionFinding, Parameter, Signature, read_signature
from server_core.catalog.building.source_lines import plain_function, source_of
from server_core.catalog.content import FileContents, mime_type_of
from server_core.catalog.declarations import UI_SCHEME, ResourceDeclaration
from server_core.catalog.definitions import Callback, ResourceDefinition, ResourceTemplateDefinition
from server_core.catalog.toolkit import Toolkit
from server_core.errors import ToolInputError
from server_core.protocol.uri_templates import UriTemplate

Json: TypeAlias = dict[str, Any]

UI_TYPE = "text/html;profile=mcp-app"
"""The MIME type of pages that hosts show in a frame. Source: the MCP Apps extension (SEP-1865), UI resource format."""

_NO_HANDLER = DefinitionFinding(
    "It has no handler, so its content is always empty.",
    "Give it a `handler=`, the function that returns its content.",
    warning=True,
)


class NoContents:
    """The reader of a resource without a handler: it is empty."""

    def __call__(self) -> str:
        return ""


def build_resource(
    name: str, declaration: ResourceDeclaration, toolkit: Toolkit | None = None
) -> tuple[ResourceDefinition | ResourceTemplateDefinition, list[DefinitionFinding]]:
    """Return the resource or template and the findings; without a toolkit of its own, it belongs to `toolkit`."""
    options, uri = declaration.options, declaration.uri_in(toolkit)
    signature, findings = read_signature(
        declaration.function, declaration.names, has_output_schema=True, receives_texts=True
    )
    template = UriTemplate(uri)
    parts = set(template.variables)
    uri_parameter = _uri_parameter(signature, uri, parts)
    parameters = tuple(parameter for parameter in signature.parameters if parameter is not uri_parameter)
    findings += option_findings(declaration)
    findings += _path_findings(declaration) or _uri_findings(template, parameters)
    file = _file_of(declaration)
    findings += _file_findings(file)
    if isinstance(declaration.function, NoContents):
        findings.append(_NO_HANDLER)
    watched, watch_findings = _read_watched(declaration)
    findings += watch_findings
    fields: Json = {
        **_default_type(uri, file),
        **descriptive_options(options),
        "name": name,
        "description": options.get("description") or _docstring(declaration, signature),
        "read": Callback(declaration.function, signature.is_async, signature.context_parameter),
        "bind": text_binder(signature.parameters),
        "uri_parameter": None if uri_parameter is None else advertised_name(uri_parameter),
        "source": source_of(declaration.function),
        "watch": watched,
    }
    if file is not None:
        fields |= {"read": Callback(file, is_async=False), "bind": dict, "uri_parameter": None}
        fields |= {"watch": (*watched, str(file.path))}
    completions, completion_findings = read_completions(parts, options.get("completions") or {})
    findings += completion_findings
    if not parts:
        return ResourceDefinition(uri=uri, **fields), findings
    fields.pop("size", None)  # It would be that of all resources of the template.
    completions = {**completions_of_types(parameters), **completions}
    return ResourceTemplateDefinition(uri_template=uri, completions=completions, **fields), findings


def _docstring(declaration: ResourceDeclaration, signature: Signature) -> str | None:
    is_ours = isinstance(declaration.function, FileContents | NoContents)
    return None if is_ours else signature.docstring.description or None


def _uri_parameter(signature: Signature, uri: str, parts: set[str]) -> Parameter | None:
    """Return the parameter for the URI itself: the first, if it accepts text, is not a part and has no default."""
    first = next(iter(signature.parameters), None)
    if first is None or first.name in parts or has_default(first):
        return None
    return first if _accepts_text(first, uri) else None


def _accepts_text(parameter: Parameter, text: str) -> bool:
    # By trying: whether a type accepts a text cannot be read from the annotation.
    try:
        text_binder([parameter])({advertised_name(parameter): text})
    except ToolInputError:
        return False
    return True


def _uri_findings(template: UriTemplate, parameters: tuple[Parameter, ...]) -> list[DefinitionFinding]:
    uri, parts, findings = template.text, set(template.variables), []
    if not re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", uri):
        findings.append(DefinitionFinding(f"The URI {uri!r} has no scheme.", "Write it as in `notes://today`."))
    if not template.is_matchable:
        findings.append(
            DefinitionFinding(f"The URI {uri!r} has a brace that is not part of an expression.", "Use `{name}`.")
        )
    if len(parts) < len(template.variables):
        findings.append(
            DefinitionFinding(f"The URI {uri!r} has an expression twice.", "Give each expression a separate name.")
        )
    names = {parameter.name for parameter in parameters}
    findings += [
        DefinitionFinding(
            f"The function does not accept the expression {part!r} of the URI.", f"Add the parameter `{part}: str`."
        )
        for part in sorted(parts - names)
    ]
    findings += [
        DefinitionFinding(
            f"The URI has no expression for the parameter {parameter.name!r}.",
            f"Add `{{{parameter.name}}}` to the URI.",
        )
        for parameter in parameters
        if parameter.name not in parts and not has_default(parameter)
    ]
    return findings


def is_pattern(name: str) -> bool:
    """Return whether a name contains wildcards: `*.md`, `?.txt`, `[ab].txt`."""
    return any(wildcard in name for wildcard in "*?[")


def _read_watched(declaration: ResourceDeclaration) -> tuple[tuple[str, ...], list[DefinitionFinding]]:
    """Return the absolute paths to watch, possibly with wildcards in the last part, and the findings about them."""
    option = declaration.options.get("watch", ())
    paths = [option] if isinstance(option, str | os.PathLike) else list(option)
    if any(not isinstance(path, str | os.PathLike) for path in paths):
        return (), [DefinitionFinding("The files to watch must be paths.", 'Write `watch=["notes/*.md"]`.')]
    folder = _folder_of(declaration)
    watched = [folder / path for path in paths]
    findings = [
        DefinitionFinding(
            f"The path {str(path)!r} to watch has wildcards in a folder: folder trees are not watched.",
            "Use wildcards in the last part only, and list each folder.",
        )
        for path in watched
        # The author's own folder may have a name with such characters.
        if is_pattern(str(path.parent.relative_to(folder) if path.is_relative_to(folder) else path.parent))
    ]
    return tuple(map(str, watched)), findings


def _folder_of(declaration: ResourceDeclaration) -> Path:
    """Return the base folder of relative paths: that of the file with the function."""
    code = getattr(plain_function(declaration.function), "__code__", None)
    return Path(getattr(code, "co_filename", "")).parent.absolute()


def _path_findings(declaration: ResourceDeclaration) -> list[DefinitionFinding]:
    options = declaration.options
    if options.get("uri"):
        has_path = options.get("path") or options.get("file") is not None
        return [DefinitionFinding("It has both a URI and a path.", "Remove one of them.")] if has_path else []
    path = declaration.path
    if not path.strip("/"):
        fix = 'Write `@resource("notes://today")`, `@resource(path="today")` or `@resource(file="today.html")`.'
        return [DefinitionFinding("It has neither a URI nor a path.", fix)]
    if any(part in (".", "..") for part in path.split("/")):
        return [DefinitionFinding(f"The path {path!r} leads out of the toolkit.", "Remove the `..`.")]
    return []


def _file_of(declaration: ResourceDeclaration) -> FileContents | None:
    if (file := declaration.options.get("file")) is not None:
        return FileContents(_folder_of(declaration) / file)
    return declaration.function if isinstance(declaration.function, FileContents) else None


def _default_type(uri: str, file: FileContents | None) -> Json:
    if uri.startswith(f"{UI_SCHEME}://"):
        return {"mime_type": UI_TYPE}
    mime_type = None if file is None else mime_type_of(file.path)
    return {} if mime_type is None else {"mime_type": mime_type}


def _file_findings(file: FileContents | None) -> list[DefinitionFinding]:
    if file is None or file.path.exists():
        return []
    message = f"The file {file.path} does not exist, so clients get the error that the resource is not found."
    return [
        DefinitionFinding(message, "Correct the path, or create the file; it is opened at each read.", warning=True)
    ]
