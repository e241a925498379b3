"""Validates messages against the schema of their revision of the protocol."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from server_core.protocol.methods import METHODS, NOTIFICATIONS

_ERRORS = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
    -32042: "URLElicitationRequiredError",
}

_CONSTANT = "const"


@dataclass(frozen=True, slots=True)
class MessageViolation:
    """A place of a message that the schema does not allow."""

    path: tuple[str | int, ...]  # within the message, its result or its error, whichever was validated
    text: str
    rule: str  # the name of the definition in the schema; empty if it has none for this


class ProtocolSchema:
    """The schema of a revision.

    Args:
        document: the JSON Schema of the specification.
        prepare: changes each definition before it is used; by default they are used as they are.
    """

    def __init__(self, document: dict[str, Any], prepare: Callable[[Any], Any] = lambda definition: definition) -> None:
        self._member = "$defs" if "$defs" in document else "definitions"
        self._definitions = {name: prepare(definition) for name, definition in document[self._member].items()}
        self._named = {
            definition["properties"]["method"]["const"]: name
            for name, definition in self._definitions.items()
            if "const" in definition.get("properties", {}).get("method", {})
        }
        self._validators: dict[str, Any] = {}

    def of_call(self, message: dict[str, Any]) -> list[MessageViolation]:
        """Validate a request or a notification; nothing is known of methods that are in no revision."""
        method = message.get("method")
        name = self._named.get(method) if isinstance(method, str) else None
        if name is None:
            known = method in METHODS or method in NOTIFICATIONS
            return [MessageViolation(("method",), f"{method} is no method of this revision", "")] if known else []
        # The envelope of JSON-RPC is another definition.
        fields = {"method", "params", *self._definitions[name]["properties"]}
        return self._validate(name, {key: value for key, value in message.items() if key in fields})

    def of_result(self, method: str, params: dict[str, Any], result: dict[str, Any]) -> list[MessageViolation]:
        """Validate the result of a request."""
        if result.get("resultType") == "input_required":
            return self._validate("InputRequiredResult", result)
        if "task" in params or result.get("resultType") == "task" or method not in self._named:
            return []  # Those of tasks have another form, and the extension for tasks is no part of the schema.
        name = self._named[method].removesuffix("Request") + "Result"
        return self._validate(name if name in self._definitions else "EmptyResult", result)

    def of_error(self, message: dict[str, Any]) -> list[MessageViolation]:
        """Validate an error response."""
        error = message.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        named = _ERRORS.get(code, "") if isinstance(code, int) else ""
        general = "JSONRPCErrorResponse" if "JSONRPCErrorResponse" in self._definitions else "JSONRPCError"
        return self._validate(named if named in self._definitions else general, message)

    def _validate(self, name: str, value: Any) -> list[MessageViolation]:
        if name not in self._validators:
            # Imported late: the library is large.
            from jsonschema_rs import validator_for

            schema = {"$ref": f"#/{self._member}/{name}", self._member: self._definitions}
            self._validators[name] = validator_for(schema)
        errors = _causes(self._validators[name].iter_errors(value))
        return [MessageViolation(tuple(error.instance_path), error.message, name) for error in errors]


def _causes(errors: Iterable[Any]) -> Iterator[Any]:
    """Replace the error that no alternative matches by the errors in the alternative that is meant, if one is."""
    for error in errors:
        alternatives = getattr(error.kind, "context", None) or []
        # What is meant is the alternative with the constants of the value, such as its type.
        meant = [causes for causes in alternatives if all(cause.kind.name != _CONSTANT for cause in causes)]
        if len(alternatives) > 1 and len(meant) == 1:
            yield from _causes(meant[0])
        else:
            yield error
