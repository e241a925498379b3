"""The access rules of a server: those of the first app that has any."""

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server_core.loading.project import Generation
    from server_core.resource_server.admission import Gate

_log = logging.getLogger(__name__)


class AccessRules:
    """The access rules in force.

    When an app that required tokens disappears, its rules stay in force: a file that is being saved or moved is
    empty or missing for a moment, and that must not open the server to all clients. Only the same app, loaded again
    without rules, removes them.
    """

    def __init__(self) -> None:
        self.gate: Gate | None = None
        """Checks the token of a client; None where clients need none."""
        self._app_name = ""

    def follow(self, generation: "Generation") -> None:
        """Use the access rules of this generation from now on."""
        gated_app = next((app for app in generation.apps if app.gate is not None), None)
        if gated_app is not None:
            self.gate, self._app_name = gated_app.gate, gated_app.name
        elif self._app_name and all(app.name != self._app_name for app in generation.apps):
            _log.warning(
                "The app %r is gone, but clients still need the tokens that it required; restart the server "
                "to require none.",
                self._app_name,
            )
        elif generation.identity.has_auth and not generation.ok:
            from server_core.resource_server.admission import ClosedGate

            self.gate = ClosedGate()
        else:
            self.gate, self._app_name = None, ""
