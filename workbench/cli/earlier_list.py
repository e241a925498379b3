"""Compare the offers of a server with an earlier list of them, in the form of `workbench list --json`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from server_core.errors import ConfigurationError
from workbench.cli import output
from workbench.model.catalog import offers
from workbench.model.definitions.change import DefinitionChange, verdict_text
from workbench.model.definitions.offer_changes import catalog_changes
from workbench.model.describe import plural
from workbench.model.json_members import object_in

Changes: TypeAlias = Mapping[tuple[str, str], Sequence[DefinitionChange]]

_ADVICE = "Make one with `workbench list --json > FILE`."
# The parts of a list on the wire, and their names in a catalog.
_PARTS = {"tools": "tools", "resources": "resources", "resourceTemplates": "templates", "prompts": "prompts"}


@dataclass(frozen=True, slots=True)
class EarlierList:
    """The offers that a server had earlier."""

    source: str  # where it is from: a file, or a git revision
    catalog: Mapping[str, Any]  # only the parts that the list has

    @staticmethod
    def read(file: Path) -> "EarlierList":
        """Read a list; ConfigurationError when the file cannot be read, or is no list of a server."""
        try:
            value = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigurationError(f"The earlier list {file} cannot be read: {error}. {_ADVICE}") from error
        return EarlierList.of(value, str(file))

    @staticmethod
    def of(value: Any, source: str) -> "EarlierList":
        """Return the list in a JSON value; ConfigurationError when it is no list of a server."""
        parts = value if isinstance(value, dict) else {}
        catalog = {name: parts[part] for part, name in _PARTS.items() if isinstance(parts.get(part), list)}
        if not catalog:
            raise ConfigurationError(f"{source} is not the list of a server. {_ADVICE}")
        return EarlierList(source, catalog)

    def changes_to(self, listed: Mapping[str, Any]) -> Changes:
        """Return what changed in each offer since then."""
        return catalog_changes(self.catalog, {part: listed.get(part) for part in self.catalog})


def is_breaking(changes: Changes) -> bool:
    return any(change.is_breaking for of_offer in changes.values() for change in of_offer)


def changes_as_json(changes: Changes) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "name": name,
            "place": change.place,
            "change": change.sentence,
            "verdict": str(change.verdict),
            "breaking": change.is_breaking,
        }
        for (kind, name), of_offer in changes.items()
        for change in of_offer
    ]


def print_changes(changes: Changes, catalog: Mapping[str, Any], source: str) -> None:
    """Print a line for each change, with the place of the definition in a catalog, and the verdict on all of them."""
    places = _places(catalog)
    for (kind, name), of_offer in changes.items():
        for change in of_offer:
            severity = "breaking" if change.is_breaking else "change"
            text = f"{kind.capitalize()} {name!r}: {change.sentence} [{change.verdict}]".replace("\n", " ")
            output.print_text(f"{places.get((kind, name), '-')}: {severity}: {text}")
    every = [change for of_offer in changes.values() for change in of_offer]
    verdict = f": {verdict_text(every)}" if every else ""
    output.print_text(f"{plural(len(every), 'change')} since {source}{verdict}")


def _places(catalog: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    return {
        offer.key: f"{output.path_from_here(source['file'])}:{source.get('line')}"
        for offer in offers(dict(catalog))
        if (source := object_in(offer.definition, "source")).get("file")
    }
