"""What a run changed against the previous run of the same tool, resource or prompt."""

from dataclasses import dataclass
from itertools import islice
from typing import Any

from server_core.runtime.safe_json import parse_json
from workbench.model.difference import ValueChange, differences
from workbench.model.history import CallRun
from workbench.model.json_members import objects_in, text_in
from workbench.model.repeated_content import repeats

MAX_CHANGES = 500


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The changes of a run; of each kind at most :data:`MAX_CHANGES`, and then one more."""

    previous: CallRun
    arguments: list[ValueChange]
    result: list[ValueChange]


def run_difference(run: CallRun, previous: CallRun) -> RunDifference:
    """Compare the arguments and the results of two runs that have ended."""
    return RunDifference(
        previous,
        list(islice(differences(previous.arguments, run.arguments), MAX_CHANGES + 1)),
        list(islice(differences(_outcome(previous), _outcome(run)), MAX_CHANGES + 1)),
    )


def _outcome(run: CallRun) -> dict[str, Any]:
    """Return what a run is compared by: JSON in texts as values, and nothing twice."""
    if run.result is None:
        return {"error": run.error or run.status.value}
    return structured_result({key: value for key, value in run.result.items() if key != "_meta"})


def structured_result(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result as it is compared: JSON in texts as values, and nothing twice."""
    result = dict(result)
    content = objects_in(result, "content")
    if "structuredContent" in result and repeats(content, result["structuredContent"]):
        del result["content"]
    elif content:
        result["content"] = [
            item | {"text": _value(item["text"])} if text_in(item, "text") else item for item in content
        ]
    return result


def _value(text: str) -> Any:
    """Return a text that is a JSON object or list as that, any other as it is."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return parse_json(text)
    except ValueError:
        return text
