"""A prompt as on the wire with a handler that takes all arguments at once -> a function that can be declared."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any


def prompt_function(prompt: Mapping[str, Any], handler: Callable[..., Any] | None) -> Callable[..., Any]:
    """Return a function that takes the arguments of a prompt one by one, and hands them on as one dict.

    Args:
        prompt: `name`, `description`, and the `arguments`, each with `name`, `description` and `required`.
        handler: takes `(arguments)` or `(context, arguments)`; without one the prompt says its description.

    Raises:
        ValueError: when the name of an argument is none in Python.
    """
    if handler is None:
        text = str(prompt.get("description") or f"Prompt: {prompt.get('name')}")
        return _with_parameters(lambda **arguments: text, prompt, takes_context=False)
    takes_context = _count_positional(handler) > 1
    function = _async_function(handler) if inspect.iscoroutinefunction(handler) else _function(handler)
    return _with_parameters(function, prompt, takes_context=takes_context)


def _function(handler: Callable[..., Any]) -> Callable[..., Any]:
    def render(**arguments: Any) -> Any:
        return handler(*_handed_on(arguments))

    return render


def _async_function(handler: Callable[..., Any]) -> Callable[..., Any]:
    async def render(**arguments: Any) -> Any:
        return await handler(*_handed_on(arguments))

    return render


def _handed_on(arguments: dict[str, Any]) -> list[Any]:
    contexts = [arguments.pop(_CONTEXT)] if _CONTEXT in arguments else []
    return [*contexts, {name: value for name, value in arguments.items() if value is not None}]


def _with_parameters(
    function: Callable[..., Any], prompt: Mapping[str, Any], *, takes_context: bool
) -> Callable[..., Any]:
    from server_core.execution.context import Context

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(_CONTEXT, keyword, annotation=Context)] if takes_context else []
    for argument in prompt.get("arguments") or ():
        required = argument.get("required") is True
        kind: Any = str if required else str | None
        described = argument.get("description")
        parameters.append(
            inspect.Parameter(
                argument["name"],
                keyword,
                default=inspect.Parameter.empty if required else None,
                annotation=Annotated[kind, described] if described else kind,
            )
        )
    function.__name__ = str(prompt.get("name"))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return function


_CONTEXT = "_context"


def _count_positional(handler: Callable[..., Any]) -> int:
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in positional for one in inspect.signature(handler).parameters.values())
