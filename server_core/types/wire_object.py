"""A JSON object of the protocol whose members are attributes as well."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeAlias

Json: TypeAlias = dict[str, Any]


class WireObject(Json):
    """A JSON object with the given members; members that are None are left out."""

    # The `type` member of every object of a class, if it has a fixed one.
    _kind: ClassVar[str] = ""
    # The declared members, including those of the base classes.
    _names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, kind: str = "") -> None:
        cls._kind = kind
        cls._names |= {name for name in cls.__annotations__ if not name.startswith("_")}

    def __init__(self, given: Mapping[str, Any] | Iterable[tuple[str, Any]] = (), /, **members: Any) -> None:
        super().__init__(given)
        self.update({self._key(name): value for name, value in members.items() if value is not None})
        if self._kind:
            self.setdefault("type", self._kind)

    def __getattr__(self, name: str) -> Any:
        # Python calls this only for names that a `dict` does not have.
        key = self._key(name)
        if key in self:
            return self[key]
        if key in self._names or key == "_meta":
            return None
        raise AttributeError(f"{type(self).__name__} has no {name!r}; it has {', '.join(self) or 'nothing'}.")

    def __setattr__(self, name: str, value: Any) -> None:
        self[self._key(name)] = value

    def _key(self, name: str) -> str:
        """Return the name on the wire of an attribute, which may be written in snake_case."""
        if name == "meta" and name not in self:
            return "_meta"
        if name in self or name in self._names or "_" not in name.strip("_"):
            return name
        first, *others = name.split("_")
        return first + "".join(word.capitalize() for word in others)
