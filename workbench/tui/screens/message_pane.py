"""What a user does with the message under the cursor of the inspector: send, edit, copy and test it."""

from collections.abc import Sequence
from functools import partial

from workbench.model.traffic.entry import Entry
from workbench.model.traffic.json_document import JsonDocument
from workbench.model.traffic.recorded_call import CALLS, call_in
from workbench.tui.actions import Action
from workbench.tui.pane import Copied, Pane
from workbench.tui.screens.annotating import choose_mark, edit_comment
from workbench.tui.screens.call_copies import copy_call, write_test
from workbench.tui.screens.holding import HoldActions
from workbench.tui.screens.sending import Sending
from workbench.tui.widgets.message_detail import MessageDetail
from workbench.tui.workers import start_worker
from workbench.workspace.asking_calls import extend_call, why_no_extension_of
from workbench.workspace.traffic_source import TrafficSource

_EXTENSION = "extension"  # The topic of the notice about a call that may take longer.

_OF_A_CALL = frozenset({"edit_call", "copy_as", "write_test"})


class MessagePane(Pane):
    """The actions on a message; a subclass shows the messages, of which one is selected."""

    def __init__(self) -> None:
        super().__init__()
        self._sending = Sending(self)
        self._holding = HoldActions(self)

    @property
    def entry(self) -> Entry | None:
        """The message under the cursor; None if there is none."""
        raise NotImplementedError

    @property
    def source(self) -> TrafficSource:
        """Where the messages come from."""
        raise NotImplementedError

    def close_capture(self) -> None:
        """Show the messages of the core in the place of those of a capture, if one is open."""
        raise NotImplementedError

    @property
    def filter_text(self) -> str:
        """The filter of the messages; empty for none."""
        raise NotImplementedError

    @property
    def detail(self) -> MessageDetail:
        raise NotImplementedError

    def annotations_changed(self) -> None:
        """Show the changed mark or comment of a message."""
        raise NotImplementedError

    @property
    def request(self) -> Entry | None:
        """The request that began the call of the message; None if it called nothing that has a form."""
        request = None if self.entry is None else self.source.timeline.by_seq(self.entry.call_seq)
        return request if request is not None and request.method in CALLS else None

    @property
    def first_hints(self) -> Sequence[Action]:
        return self._holding.first_hints

    def why_not(self, action: str) -> str | None:
        entry = self.entry
        if action in ("hold", "show_held"):
            return self._holding.why_not(action)
        if action == "compose":
            return self._sending.why_not()
        if action in ("copy", "send_again", "edit_message", "mark", "comment") and entry is None:
            return "No message is selected."
        if action in ("send_again", "edit_message"):
            return self._sending.why_not(entry)
        if action == "show_run" and (entry is None or self.source.run_of(entry) is None):
            return "This message belongs to no call of this terminal."
        if action == "write_test" and self.workspace.core.is_relay:
            return "Tests are written for a project, and this is another server."
        if action in _OF_A_CALL and self.request is None:
            return "This message belongs to no call of a tool, resource or prompt."
        if action == "extend":
            return why_no_extension_of(self.workspace, self.request)
        return None

    async def action_show_run(self) -> None:
        if self.entry is not None and (run := self.source.run_of(self.entry)) is not None:
            await self.workbench.open_run(run)

    async def action_edit_call(self) -> None:
        """Open the form of what this message's call has called, with its arguments."""
        request = self.request
        if request is not None and (call := call_in(await self.detail.body(request))) is not None:
            await self.workbench.open_recorded_call(call)

    def action_mark(self) -> None:
        if self.entry is not None:
            start_worker(self, partial(choose_mark, self, self.entry), "annotation")

    def action_comment(self) -> None:
        if self.entry is not None:
            start_worker(self, partial(edit_comment, self, self.entry), "annotation")

    def action_extend(self) -> None:
        # Each press counts.
        start_worker(self, self._extend, "extend", exclusive=False)

    async def _extend(self) -> None:
        request = self.request
        if request is not None and (effect := await self.result_of(extend_call(self.workspace, request))) is not None:
            self.notify(effect, title=_EXTENSION, markup=False)

    def action_send_again(self) -> None:
        if self.entry is not None:
            start_worker(self, partial(self._sending.send_again, self.entry), "send", exclusive=False)

    def action_edit_message(self) -> None:
        if self.entry is not None:
            start_worker(self, partial(self._sending.edit, self.entry), "send", exclusive=False)

    def action_compose(self) -> None:
        start_worker(self, self._sending.compose, "send", exclusive=False)

    def action_hold(self) -> None:
        start_worker(self, self._holding.set_filter, "hold")

    def action_show_held(self) -> None:
        start_worker(self, self._holding.show, "hold")

    async def action_copy(self) -> None:
        if (entry := self.entry) is not None:
            self.copy(Copied(f"Message {entry.seq}", JsonDocument(await self.detail.body(entry)).pretty()))

    def action_copy_as(self) -> None:
        if self.request is not None:
            start_worker(self, partial(copy_call, self, self.request), "copy")

    def action_write_test(self) -> None:
        if self.request is not None:
            start_worker(self, partial(write_test, self, self.request), "test", exclusive=False)
