"""Declarations -> a catalog, and every problem met on the way.

One thing that is wrong keeps only itself out of the catalog.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from server_core.catalog.arguments import accepts_null, has_default, read_arguments, text_binder
from server_core.catalog.catalog import Catalog
from server_core.catalog.declarations import (
    CompletionDeclaration,
    Declaration,
    PromptDeclaration,
    ResourceDeclaration,
    ToolDeclaration,
)
from server_core.catalog.definitions import (
    Callback,
    Completion,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    Source,
    Tool,
)
from server_core.catalog.problems import Problem, problem_at
from server_core.catalog.results import read_result
from server_core.catalog.signature import Finding, Parameter, Signature, read_signature, source_of
from server_core.errors import ErrorKind

Json: TypeAlias = dict[str, Any]
Named = TypeVar("Named", Tool, Resource, Prompt)

# server/tools, tool names (2025-11-25): 1 to 128 of these.
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.\-]{1,128}")
_PART = re.compile(r"\{(\w+)\*?\}")


@dataclass
class Assembly:
    """What has been put together so far.

    Attributes:
        problems: all that is wrong.
    """

    problems: list[Problem] = field(default_factory=list)
    _tools: dict[str, Tool] = field(default_factory=dict)
    _resources: dict[str, Resource] = field(default_factory=dict)
    _templates: dict[str, ResourceTemplate] = field(default_factory=dict)
    _prompts: dict[str, Prompt] = field(default_factory=dict)

    def catalog(self) -> Catalog:
        """Return what was put together."""
        return Catalog(dict(self._tools), dict(self._resources), tuple(self._templates.values()), dict(self._prompts))

    def add(self, declaration: Declaration) -> None:
        """Take over one declaration; whatever is wrong with it becomes a problem."""
        source = source_of(declaration.function)
        try:
            match declaration:
                case ToolDeclaration():
                    self._add_tool(declaration, source)
                case ResourceDeclaration():
                    self._add_resource(declaration, source)
                case PromptDeclaration():
                    self._add_prompt(declaration, source)
        except _Unusable:
            return
        except Exception as error:  # Whatever an author's types do when they are looked at.
            name = _name(declaration)
            message = f"{name!r} cannot be read: {type(error).__name__}: {error}."
            self.problems.append(problem_at(source, message, "Correct its parameters, return type or decorator."))

    def complete(self, declaration: CompletionDeclaration) -> None:
        """Take over a completion, once what it is for has been added."""
        source = source_of(declaration.function)
        prompt, template = self._prompts.get(declaration.subject), self._templates.get(declaration.subject)
        subject = prompt or template
        if subject is None:
            message = f"The completion for {declaration.subject!r} belongs to no prompt and no resource template."
            self.problems.append(problem_at(source, message, "Name the prompt, or the template's whole address."))
            return
        functions = {declaration.argument: declaration.function}
        try:
            found = self._completions(subject.name, _names_of(subject), functions, source)
        except _Unusable:
            return
        completions = {**subject.completions, **found}
        if prompt is not None:
            self._prompts[declaration.subject] = replace(prompt, completions=completions)
        elif template is not None:
            self._templates[declaration.subject] = replace(template, completions=completions)

    def _add_tool(self, declaration: ToolDeclaration, source: Source | None) -> None:
        name = _name(declaration)
        signature, findings = read_signature(declaration.function, declaration.names)
        input_schema, binder, more = read_arguments(signature)
        output_schema, dumper, most = read_result(signature.returns)
        findings += more + most + list(_tool_findings(name, declaration))
        description = declaration.options.get("description") or signature.docstring.description or None
        if description is None:
            findings.append(_NO_DESCRIPTION)
        self._settle(f"Tool {name!r}", findings, source)
        tool = Tool(
            **{
                **declaration.options,
                "name": name,
                "description": description,
                "function": declaration.function,
                "is_async": signature.is_async,
                "input_schema": input_schema,
                "binder": binder,
                "dumper": dumper,
                "output_schema": output_schema,
                "source": source,
                "secrets": _secrets(declaration),
                "context_parameter": signature.context_parameter,
                "timeout": declaration.timeout,
                "adapters": tuple(declaration.adapters),
            }
        )
        self._keep(self._tools, name, tool, "tool")

    def _add_resource(self, declaration: ResourceDeclaration, source: Source | None) -> None:
        name, uri = _name(declaration), declaration.uri
        signature, findings = read_signature(declaration.function, declaration.names)
        parts = set(_PART.findall(uri))
        findings += _address_findings(uri, parts, signature)
        self._settle(f"Resource {name!r}", findings, source)
        facts: Json = {
            **declaration.options,
            "name": name,
            "description": _description(declaration, signature),
            "read": Callback(declaration.function, signature.is_async, signature.context_parameter),
            "source": source,
        }
        if not parts:
            self._keep(self._resources, uri, Resource(uri=uri, **facts), "resource")
            return
        facts.pop("size", None)
        facts["completions"] = self._completions(name, parts, declaration.completions, source)
        template = ResourceTemplate(uri_template=uri, binder=text_binder(signature.parameters), **facts)
        self._keep(self._templates, uri, template, "resource template")

    def _add_prompt(self, declaration: PromptDeclaration, source: Source | None) -> None:
        name = _name(declaration)
        signature, findings = read_signature(declaration.function, declaration.names)
        _, _, more = read_arguments(signature)
        self._settle(f"Prompt {name!r}", findings + more, source)
        arguments = tuple(_prompt_argument(one, signature) for one in signature.parameters)
        prompt = Prompt(
            **{
                **declaration.options,
                "name": name,
                "description": _description(declaration, signature),
                "render": Callback(declaration.function, signature.is_async, signature.context_parameter),
                "arguments": arguments,
                "binder": text_binder(signature.parameters),
                "source": source,
                "completions": self._completions(
                    name, {one.name for one in arguments}, declaration.completions, source
                ),
            }
        )
        self._keep(self._prompts, name, prompt, "prompt")

    def _completions(
        self, subject: str, known: set[str], functions: Mapping[str, Callable[..., Any]], source: Source | None
    ) -> dict[str, Completion]:
        completions: dict[str, Completion] = {}
        findings: list[Finding] = []
        for argument, function in functions.items():
            if argument not in known:
                message = f"{subject!r} has no argument {argument!r} to complete."
                findings.append(Finding(message, f"Use one of {', '.join(sorted(known)) or 'its arguments'}."))
                continue
            signature, wrong = read_signature(function, {})
            # A completion may be a lambda: its types do not matter.
            findings += [one for one in wrong if "annotation" not in one.message]
            names = _parameter_names(function, signature.context_parameter)
            if not names:
                findings.append(Finding("A completion takes the text typed so far.", "Write `def complete(value)`."))
                continue
            callback = Callback(function, signature.is_async, signature.context_parameter)
            completions[argument] = Completion(callback, names[0], names[1] if len(names) > 1 else None)
        self._settle(f"The completion of {subject!r}", findings, source)
        return completions

    def _settle(self, what: str, findings: Iterable[Finding], source: Source | None) -> None:
        """Turn findings into problems, and give the thing up when one of them is an error."""
        broken = False
        for one in findings:
            broken = broken or not one.warning
            self.problems.append(
                problem_at(
                    source,
                    f"{what}: {one.message}",
                    one.fix,
                    kind=one.kind,
                    severity="warning" if one.warning else "error",
                )
            )
        if broken:
            raise _Unusable

    def _keep(self, kept: dict[str, Any], name: str, one: Any, what: str) -> None:
        if name not in kept:
            kept[name] = one
            return
        first: Source | None = kept[name].source
        where = f" at {first.file}:{first.line}" if first else ""
        self.problems.append(
            problem_at(
                one.source,
                f"There are two {what}s {name!r}: the first is{where}, and only that one is served.",
                f"Give this {what} another name.",
                kind=ErrorKind.TOOLKIT_LOAD_FAILED,
            )
        )


class _Unusable(Exception):
    """The declaration has an error; its problems are noted already."""


_NO_DESCRIPTION = Finding(
    "It has no description, so a model cannot know when to use it.",
    "Write a docstring, or give `desc=` to the decorator.",
    warning=True,
)


def _name(declaration: Declaration) -> str:
    return str(declaration.options.get("name") or getattr(declaration.function, "__name__", "unnamed"))


def _description(declaration: Declaration, signature: Signature) -> str | None:
    return declaration.options.get("description") or signature.docstring.description or None


def _tool_findings(name: str, declaration: ToolDeclaration) -> Iterable[Finding]:
    if not _TOOL_NAME.fullmatch(name):
        yield Finding(
            "Clients refuse this name: it may hold 1 to 128 letters of a to z, digits, `_`, `-` and `.`.",
            'Give it another name with `@tool(name="...")`.',
        )
    if isinstance(declaration.secrets, str) or not all(isinstance(key, str) and key for key in declaration.secrets):
        yield Finding("The secrets must be a list of keys.", 'Write `requires_secrets=["API_KEY"]`.')
    if declaration.timeout is not None and not _is_duration(declaration.timeout):
        yield Finding(f"The timeout {declaration.timeout!r} is no number of seconds above zero.", "Correct it.")
    for adapter in declaration.adapters:
        if not callable(getattr(adapter, "from_exception", None)):
            message = f"The adapter {type(adapter).__name__} has no method from_exception."
            yield Finding(message, "Give it `slug` and `from_exception(error)`.")


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _secrets(declaration: ToolDeclaration) -> tuple[str, ...]:
    return tuple(dict.fromkeys(declaration.secrets))


def _address_findings(uri: str, parts: set[str], signature: Signature) -> list[Finding]:
    findings = []
    if not re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:", uri):
        findings.append(Finding(f"The address {uri!r} has no scheme.", "Write it like `notes://today`."))
    if "{" in _PART.sub("", uri) or "}" in _PART.sub("", uri):
        findings.append(Finding(f"The address {uri!r} has a brace that is no part.", "Write parts as `{name}`."))
    taken = {one.name for one in signature.parameters}
    findings += [
        Finding(f"The function does not take the part {part!r} of the address.", f"Add the parameter `{part}: str`.")
        for part in sorted(parts - taken)
    ]
    findings += [
        Finding(f"The address has no part for the parameter {one.name!r}.", f"Add `{{{one.name}}}` to the address.")
        for one in signature.parameters
        if one.name not in parts and not has_default(one)
    ]
    return findings


def _prompt_argument(parameter: Parameter, signature: Signature) -> PromptArgument:
    required = not has_default(parameter) and not accepts_null(parameter.annotation)
    texts = [one for one in getattr(parameter.annotation, "__metadata__", ()) if isinstance(one, str)]
    described = [
        one.description for one in getattr(parameter.annotation, "__metadata__", ()) if hasattr(one, "description")
    ]
    description = next(iter(texts + described), None) or signature.docstring.parameters.get(parameter.name)
    return PromptArgument(parameter.name, description=description, required=required)


def _names_of(subject: Prompt | ResourceTemplate) -> set[str]:
    if isinstance(subject, Prompt):
        return {one.name for one in subject.arguments}
    return set(_PART.findall(subject.uri_template))


def _parameter_names(function: Callable[..., Any], context_parameter: str | None) -> list[str]:
    import inspect

    return [name for name in inspect.signature(function).parameters if name != context_parameter]


def assemble(declarations: Iterable[Declaration]) -> tuple[Catalog, tuple[Problem, ...]]:
    """Return the catalog of these declarations, and everything that is wrong with them.

    Args:
        declarations: in the order in which clients should see them; the same one may come twice.
    """
    assembly = Assembly()
    unique = list(dict.fromkeys(declarations))
    for declaration in unique:
        assembly.add(declaration)
    for declaration in unique:
        if isinstance(declaration, CompletionDeclaration):
            assembly.complete(declaration)
    return assembly.catalog(), tuple(assembly.problems)
