"""The recorded traffic between a test's client and the server: records, and the logs, progress and events in them.

Secrets are masked here, as in every record.
"""

import json
from dataclasses import dataclass
from typing import Any

from server_core.records.tap import Direction, Kind, Record, Tap
from workbench.client.tool_call import CallProgress
from workbench.model.short_text import shortened
from workbench.testing.assertion_errors import Unmet

LINE = 200
"""How many characters of a record the traffic of a failed test shows."""
LINES = 30
"""How many records it shows."""

_ARROWS = {Direction.IN: "-->", Direction.OUT: "<--", Direction.NONE: "   "}


@dataclass(frozen=True)
class LogMessage:
    """A log message of a tool.

    Attributes:
        level: "debug", "info", ... as on the wire.
        data: the logged value.
        logger: the name of the logger, if any.
    """

    level: str
    data: Any
    logger: str = ""

    @property
    def text(self) -> str:
        """The message as text; for structured data, its JSON."""
        return self.data if isinstance(self.data, str) else json.dumps(self.data, ensure_ascii=False)


class Recorded:
    """All records of one server, from its start; :class:`BaseClient` describes the members."""

    def __init__(self, tap: Tap) -> None:
        self._subscription = tap.subscribe(None, lambda: None)
        self._records: list[Record] = []

    @property
    def records(self) -> list[Record]:
        self._records += self._subscription.drain()
        return list(self._records)

    @property
    def notifications(self) -> list[dict[str, Any]]:
        """The notifications of the server, as `{"method": ..., "params": ...}`, oldest first."""
        return [
            json.loads(record.data)
            for record in self.records
            if record.kind is Kind.NOTIFICATION and record.direction is Direction.OUT
        ]

    @property
    def logs(self) -> list[LogMessage]:
        messages = [notification.get("params", {}) for notification in self._notifications("notifications/message")]
        return [
            LogMessage(str(params.get("level", "")), params.get("data"), str(params.get("logger") or ""))
            for params in messages
        ]

    @property
    def progress(self) -> list[CallProgress]:
        reports = [
            CallProgress.from_params(notification.get("params", {}))
            for notification in self._notifications("notifications/progress")
        ]
        return [report for report in reports if report is not None]

    @property
    def events(self) -> list[dict[str, Any]]:
        """The lifecycle events of the server, oldest first."""
        return [json.loads(record.data) for record in self.records if record.kind is Kind.LIFECYCLE]

    def assert_logged(self, text: str, *, level: str | None = None) -> LogMessage:
        __tracebackhide__ = True
        logs = self.logs
        for message in logs:
            if text in message.text and level in (None, message.level):
                return message
        wanted = f"no {level} message" if level else "no message"
        logged = "\n".join(f"{message.level}: {message.text}" for message in logs) or "nothing was logged"
        raise Unmet(f"{wanted} contains {text!r}; logged:\n{logged}")

    def story(self) -> str:
        records = [record for record in self.records if record.kind is not Kind.LIFECYCLE]
        shown = records[-LINES:]
        left_out = [f"... and {len(records) - len(shown)} before"] if len(records) > len(shown) else []
        return "\n".join([*left_out, *(_line(record) for record in shown)])

    def _notifications(self, method: str) -> list[dict[str, Any]]:
        return [notification for notification in self.notifications if notification.get("method") == method]


def _line(record: Record) -> str:
    return f"{_ARROWS[record.direction]} {shortened(record.data.decode('utf-8', 'replace'), LINE)}"
