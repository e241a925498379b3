"""The params of a request of a replay, which the user changes in the composer before it is sent."""

from typing import Any

from textual.app import App

from server_core.errors import ConfigurationError
from server_core.protocol.revisions import LATEST, LATEST_STATELESS
from workbench.model.describe import json_text
from workbench.model.traffic.entry import parse_object
from workbench.replay.recording import RecordedExchange
from workbench.tui.screens.composer import Composer, Draft, Skeleton


async def edited_params(app: App[Any], exchange: RecordedExchange) -> dict[str, Any] | None:
    """Return the params that a user has written for a request; None if the request stays as it is.

    Raises:
        ConfigurationError: when the text is no request of the same method.
    """
    message = {"jsonrpc": "2.0", "id": exchange.seq, "method": exchange.method, "params": exchange.params}
    composer = Composer(
        f"Change #{exchange.seq} before it is sent",
        Skeleton(json_text(message, indent=2)),
        LATEST_STATELESS if exchange.stateless else LATEST,
    )
    written: Draft = await app.push_screen_wait(composer)
    if not written.is_sent:
        return None
    changed = parse_object(written.text.encode())
    params = {} if changed is None else changed.get("params", {})
    if changed is None or changed.get("method") != exchange.method or not isinstance(params, dict):
        raise ConfigurationError(f"Nothing is changed: the text is no request of {exchange.method} with params.")
    return params
