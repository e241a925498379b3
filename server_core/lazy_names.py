"""Public names of packages that are imported when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_MISSING = object()


def lazy_names(
    namespace: dict[str, Any], *others: str, homes: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose public names are imported when they are first used.

    A name is in its home, if it has one, else in the first of the other modules that has it. Source: PEP 562.
    """
    package, names = namespace["__name__"], namespace["__all__"]

    def import_name(name: str) -> Any:
        if name in names:
            for module in (homes[name],) if homes and name in homes else others:
                home = import_module(f"{package}.{module}")
                if (value := getattr(home, name, _MISSING)) is not _MISSING:
                    # Stored, so that Python does not call this function again; except for a name that the module
                    # itself creates on each access.
                    if name in vars(home):
                        namespace[name] = value
                    return value
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return import_name, lambda: sorted({*namespace, *names})
