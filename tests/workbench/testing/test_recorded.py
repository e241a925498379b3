"""What a client in a test has seen: records, logs, progress, and what is asserted of them."""

import pytest

from server_core.records.tap import Kind
from tests.tables import each_row
from tests.workbench.testing.cafe import SECRET, new_cafe
from workbench.testing import REVISIONS, Client, Unmet


@each_row("revision", REVISIONS)
def test_logs_and_progress_of_a_call_are_there_when_it_is_answered(revision: str) -> None:
    with Client(new_cafe(), revision=revision) as client:
        result = client.call("brew", cups=2)
        assert [(log.level, log.text) for log in client.logs] == [
            ("warning", "the tin is empty"),
            ("info", "brewed"),
        ]
        assert [(item.progress, item.total) for item in client.progress] == [(1, 2), (2, 2)]
        assert result.progress == tuple(client.progress)


def test_a_log_message_can_be_asserted() -> None:
    with Client(new_cafe()) as client:
        client.call("brew", cups=1)
        assert client.assert_logged("tin").level == "warning"
        assert client.assert_logged("brewed", level="info").text == "brewed"
        with pytest.raises(Unmet, match=r"no error message contains 'tin'; logged:\nwarning: the tin is empty"):
            client.assert_logged("tin", level="error")


def test_without_logs_the_assertion_reports_it() -> None:
    with Client(new_cafe()) as client, pytest.raises(Unmet, match="nothing was logged"):
        client.assert_logged("tin")


def test_everything_that_crosses_the_wire_is_a_record() -> None:
    with Client(new_cafe()) as client:
        client.call("greet", name="Ada")
        kinds = [record.kind for record in client.records]
        assert kinds.count(Kind.REQUEST) == kinds.count(Kind.RESPONSE) == 2
        assert "--> " in client.story()
        assert "Hello, Ada!" in client.story()


def test_a_secret_in_a_result_is_masked_in_records_and_not_in_the_result() -> None:
    with Client(new_cafe(), secrets={"KITCHEN_KEY": SECRET}) as client:
        assert client.call("show_key").text == SECRET
        assert not [record for record in client.records if SECRET.encode() in record.data]
        assert SECRET not in client.story()


def test_a_schema_is_compared_with_the_part_that_a_test_cares_about() -> None:
    with Client(new_cafe()) as client:
        client.assert_schema("greet", {"properties": {"name": {"type": "string"}}, "required": ["name"]})
        client.assert_output_schema("take", {"properties": {"dish": {"type": "string"}}})
        with pytest.raises(Unmet, match=r'inputSchema of greet: \$\.properties\.name\.type is "string", not "integer"'):
            client.assert_schema("greet", {"properties": {"name": {"type": "integer"}}})
        with pytest.raises(Unmet, match=r"\$\.properties has no 'nam'; it has: name"):
            client.assert_schema("greet", {"properties": {"nam": {}}})
        with pytest.raises(Unmet, match="no tool named 'gret' is listed; the list: greet"):
            client.assert_schema("gret", {})
