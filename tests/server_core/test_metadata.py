"""Metadata: what orchestrators read of it, and everything that can be wrong with it."""

from typing import Any

import pytest

from server_core.catalog.building.metadata_checks import faults_of
from server_core.metadata import (
    Behavior,
    Classification,
    Operation,
    ServiceDomain,
    ToolMetadata,
    ToolMetadataKey,
)
from tests.tables import each_row

pytestmark = pytest.mark.promises("tool options")

MEND = "Fix the contradiction, or set strict=False to bypass."


def test_metadata_for_orchestrators_has_no_unset_fields() -> None:
    metadata = ToolMetadata(
        classification=Classification(service_domains=[ServiceDomain.EMAIL, "crm"]),
        behavior=Behavior(operations=[Operation.READ], read_only=True, open_world=False),
        extras={"a": 1},
        strict=False,
    )
    assert faults_of(metadata) == []
    assert metadata.to_json() == {
        "classification": {"service_domains": ["email", "crm"]},
        "behavior": {"operations": ["read"], "read_only": True, "open_world": False},
        "extras": {"a": 1},
    }
    assert ToolMetadata().to_json() == {}


def test_behavior_becomes_the_hints_that_mcp_knows() -> None:
    behavior = Behavior(read_only=False, destructive=True, idempotent=False, open_world=True)
    assert behavior.hints() == {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    assert Behavior(operations=[Operation.READ]).hints() == {}


def test_there_are_thirty_service_domains_and_two_keys_with_a_meaning() -> None:
    assert len(ServiceDomain) == 30
    assert [(item.value, item.requires_auth) for item in ToolMetadataKey] == [
        ("client_id", True),
        ("coordinator_url", False),
    ]


def test_every_contradiction_is_reported_at_once() -> None:
    metadata = ToolMetadata(
        classification=Classification(service_domains=[ServiceDomain.EMAIL]),
        behavior=Behavior(
            operations=[Operation.DELETE, Operation.CREATE, Operation.OPAQUE],
            read_only=True,
            destructive=False,
            open_world=False,
        ),
    )
    assert faults_of(metadata) == [
        "Tool has the mutating operation(s): 'DELETE, CREATE' in its behavior metadata, but is marked read_only=True. "
        + MEND,
        "Tool has OPAQUE operation but is marked read_only=True. Cannot guarantee read-only when the operation is "
        f"indeterminate. {MEND}",
        f"Tool has the 'DELETE' operation but is not marked destructive=True. {MEND}",
        f"Tool has a ServiceDomain (implying an external service) but is marked open_world=False. {MEND}",
    ]


@each_row(
    "metadata",
    [
        ToolMetadata(behavior=Behavior(operations=[Operation.CREATE], read_only=True), strict=False),
        ToolMetadata(behavior=Behavior(operations=[Operation.DELETE])),
        ToolMetadata(behavior=Behavior(operations=[Operation.READ], read_only=True)),
        ToolMetadata(classification=Classification(service_domains=[]), behavior=Behavior(open_world=False)),
        ToolMetadata(classification=Classification(service_domains=[ServiceDomain.CRM])),
    ],
    ids=["not strict", "destruction unset", "only reads", "no domain", "no behavior"],
)
def test_consistent_metadata_is_accepted(metadata: ToolMetadata) -> None:
    assert faults_of(metadata) == []


def _holds_itself() -> dict[str, Any]:
    extras: dict[str, Any] = {}
    extras["a"] = [extras, extras]
    return extras


def test_invalid_metadata_is_reported_and_never_raised() -> None:
    for metadata, fault in (
        ({"behavior": {}}, "Expected a ToolMetadata instance for 'metadata', but got dict."),
        (ToolMetadata(behavior={"read_only": True}), "Expected a Behavior instance for 'behavior', but got dict."),  # type: ignore[arg-type]
        (ToolMetadata(classification="email"), "Expected a Classification instance for 'classification', but got str."),  # type: ignore[arg-type]
        (
            ToolMetadata(classification=Classification(service_domains=["emial"])),
            "The service_domains contain 'emial', which is not in ServiceDomain; did you mean 'email'?",
        ),
        (
            ToolMetadata(behavior=Behavior(operations=[3])),  # type: ignore[list-item]
            "The operations contain 3, which is not in Operation.",
        ),
        (ToolMetadata(behavior=Behavior(operations="read")), "The operations must be a list, not str."),
        (
            ToolMetadata(behavior=Behavior(read_only="yes")),  # type: ignore[arg-type]
            "Behavior.read_only must be True, False or None, not 'yes'.",
        ),
        (ToolMetadata(extras=[1]), "ToolMetadata.extras must be a dict, not list."),  # type: ignore[arg-type]
        (ToolMetadata(extras={"a": {1, 2}}), "extras['a'] has a non-JSON-safe value of type set (got {1, 2})"),
        (ToolMetadata(extras={"a": [{"b": float("inf")}]}), "extras['a'][0]['b'] has a non-JSON-safe float value inf"),
        (ToolMetadata(extras={3: 1}), "extras[3] has a non-string key of type int"),  # type: ignore[dict-item]
        (ToolMetadata(extras=_holds_itself()), "extras['a'][0] contains itself or is nested too deeply"),
    ):
        (message,) = faults_of(metadata)
        assert fault in message


def test_a_value_with_an_unreadable_text_is_reported() -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError

    (message,) = faults_of(ToolMetadata(extras={"a": Hostile()}))
    assert "extras['a'] has a non-JSON-safe value of type Hostile" in message
