"""What an app offers of one kind, to be changed while it is served: `app.tools`, `app.resources` and `app.prompts`.

Every change counts at once for the next request, and clients are told. Calls that run go on with what they began with.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from server_core.catalog.declarations import Declaration, Declarer, attach, declared_on

if TYPE_CHECKING:
    from server_core.app import MCPApp


class Offers:
    """What an app offers of one kind; safe on any thread.

    Args:
        app: whose offers these are.
        what: the kind, for people.
        kind: the kind of declaration.
        declarer: makes what notes down a function, of the arguments of the decorator.
    """

    def __init__(self, app: "MCPApp", what: str, kind: type[Declaration], declarer: Callable[..., Declarer]) -> None:
        self._app = app
        self._what = what
        self._kind = kind
        self._declarer = declarer

    def add(self, function: Callable[..., Any], **options: Any) -> None:
        """Offer a function, whether a decorator declared it already or not.

        Args:
            function: the function.
            options: as for the decorator (a resource needs its `uri`); they take the place of what it was told.
        """
        declaration = declared_on(function)
        if options or not isinstance(declaration, self._kind):
            declaration = self._declarer(**options)(function)
        declaration = self._app.owned(declaration)
        attach(function, declaration)
        self._app.declare(declaration)

    def remove(self, key: str) -> None:
        """Offer something no longer.

        Args:
            key: the name of a tool or prompt; the address of a resource, or the template of its addresses.

        Raises:
            ValueError: when the app offers no such thing.
        """
        found = [one for one in self._declarations() if one.key == key]
        if not found:
            raise ValueError(f"{self._app.identity.name} has no {self._what} {key!r}; see `list()`.")
        self._app.withdraw(found)

    def list(self) -> tuple[str, ...]:
        """Return the names, or addresses, of all that is declared, in the order of adding."""
        return tuple(one.key for one in self._declarations())

    def _declarations(self) -> tuple[Declaration, ...]:
        return tuple(one for one in self._app.declarations if isinstance(one, self._kind))


class ResourceOffers(Offers):
    """The resources that an app offers."""

    def updated(self, uri: str) -> None:
        """Tell every client that wants to know it that a resource has new contents; safe on any thread.

        Args:
            uri: its address.
        """
        self._app.tell_updated(uri)
