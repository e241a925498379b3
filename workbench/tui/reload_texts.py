"""The result of a reload as text: one line over whichever pane is in front, and the details in the Problems pane.

Both are made from a catalog, the answer to `catalog/get`, and the changes of the definitions since the previous one.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from textual.content import Content

from server_core.errors import ErrorKind
from workbench.model.catalog import is_stale, offers
from workbench.model.definitions.change import DefinitionChange, Verdict, verdict_text
from workbench.model.describe import plural
from workbench.model.short_text import escaped
from workbench.tui.actions import PLACES
from workbench.tui.colours import BAD, GOOD, MUTED, WARN
from workbench.tui.key_bindings import key_for

ChangesByOffer: TypeAlias = Mapping[tuple[str, str], Sequence[DefinitionChange]]
NO_CHANGES: ChangesByOffer = {}

_SIGNS = {"added": ("+", GOOD), "changed": ("~", WARN), "removed": ("-", "$text-error")}
_PROBLEMS = f"{key_for('show_problems')} {PLACES['problems']}"
# How many names of changed definitions the line has.
_MAX_NAMES = 4
# How many lines the changes of all definitions have.
_MAX_CHANGES = 10
# How many of the files that are not loaded are named.
_MAX_SKIPPED = 3


def reload_notice(
    catalog: dict[str, Any], changes_by_offer: ChangesByOffer = NO_CHANGES
) -> tuple[str, Literal["information", "warning", "error"]] | None:
    """Return the message about a new catalog and its severity; None for a first load."""
    if (catalog.get("generation") or 0) < 2:
        return None
    if is_stale(catalog):
        failure = _first_error(catalog) or "The reload failed."
        return f"{failure} The previous tools are still served: see {_PROBLEMS}.", "error"
    changes = [
        f"{sign} {_first_names(names)}"
        for kinds in (catalog["changes"] or {}).values()
        for kind, (sign, _) in _SIGNS.items()
        if (names := kinds.get(kind))
    ]
    text = f"Reloaded in {catalog['duration_ms']:.0f} ms  {'  '.join(changes)}".rstrip()
    if verdict := verdict_of_reload(changes_by_offer):
        text += f" · {verdict}"
    if not catalog["ok"]:
        if error := _first_error(catalog):
            return f"{error} Loaded in part: see {_PROBLEMS} · {text}", "warning"
        return f"{text}. Loaded in part: see {_PROBLEMS}.", "warning"
    if problems := catalog.get("problems"):
        return f"{text}. {plural(len(problems), 'problem')}: see {_PROBLEMS}.", "warning"
    return text, "information"


def _first_error(catalog: dict[str, Any]) -> str:
    """Return the place and the message of an error, at best of a file that is not loaded; empty if none has a place."""
    errors = [problem for problem in catalog.get("problems") or () if problem["severity"] == "error"]
    errors.sort(key=lambda problem: problem["kind"] != ErrorKind.TOOLKIT_LOAD_FAILED)
    placed = next((error for error in errors if error["file"] and error["line"]), None)
    if placed is None:
        return ""
    name, message = Path(placed["file"]).name, placed["message"]
    place, text = f"{name}:{placed['line']}", message.removeprefix(name)
    others = f" ({plural(len(errors) - 1, 'other error')})" if len(errors) > 1 else ""
    return escaped(f"{place}{':' if text == message else ''} {text.lstrip()}{others}")


def list_change_notice(catalog: dict[str, Any], changes_by_offer: ChangesByOffer) -> str:
    """Return the message about changed lists of a server that our core only relays."""
    return f"The server changed its lists  {_changed_and_verdict(catalog, changes_by_offer)}"


def _changed_and_verdict(catalog: dict[str, Any], changes_by_offer: ChangesByOffer) -> str:
    return f"{_changed_names(catalog, changes_by_offer)} · {verdict_of_reload(changes_by_offer)}"


def _changed_names(catalog: dict[str, Any], changes_by_offer: ChangesByOffer) -> str:
    """Return the first names of the new, changed and removed offers, each group after its sign."""
    present = {offer.key for offer in offers(catalog)}
    names: dict[str, list[str]] = {"added": [], "changed": [], "removed": []}
    for key, changes in changes_by_offer.items():
        is_new = all(not change.path and change.verdict is Verdict.NONE for change in changes)
        names["removed" if key not in present else "added" if is_new else "changed"].append(key[1])
    return "  ".join(f"{_SIGNS[kind][0]} {_first_names(some)}" for kind, some in names.items() if some)


def _first_names(names: list[str]) -> str:
    first = escaped(", ".join(names[:_MAX_NAMES]))
    return first if len(names) <= _MAX_NAMES else f"{first} and {len(names) - _MAX_NAMES} more"


def verdict_of_reload(changes_by_offer: ChangesByOffer) -> str:
    """Return for whom the changes of all definitions are breaking; empty without changes."""
    return verdict_text(change for changes in changes_by_offer.values() for change in changes)


def reload_text(catalog: dict[str, Any], changes_by_offer: ChangesByOffer = NO_CHANGES) -> Content:
    """Return the details of the last load or reload."""
    number = catalog.get("generation") or 0
    if not number:
        return _relayed_text(catalog, changes_by_offer)
    name = "First load" if number == 1 else f"Reload {number - 1}"
    duration = f" in {catalog['duration_ms']:.0f} ms"
    if is_stale(catalog):
        return Content.assemble(
            (f"✗ {name} failed{duration}", BAD),
            "\nThe previous tools are still served. Save a file to reload.",
        )
    parts: list[Content | str | tuple[str, str]] = [(f"✓ {name}{duration}", f"bold {GOOD}")]
    if not catalog["ok"]:
        parts = [
            (f"✗ {name}{duration}, loaded in part", BAD),
            "\nDefinitions without errors are served. Save a file to reload.",
        ]
    if catalog["reloaded"]:
        parts.append((f"\nmodules: {escaped(', '.join(catalog['reloaded']))}", MUTED))
    parts += _offer_counts(catalog) if number == 1 else _changes(catalog["changes"] or {})
    if number > 1:
        parts += _definition_changes(changes_by_offer)
    return Content.assemble(*parts, *_skipped_files(catalog.get("skipped", [])))


def _relayed_text(catalog: dict[str, Any], changes_by_offer: ChangesByOffer) -> Content:
    """Return the counts of a relayed server, whose lists have no generations, and their last change."""
    if not offers(catalog):
        return Content.styled("Nothing has been loaded yet.", MUTED)
    text = Content.assemble(("✓ Lists of the server", f"bold {GOOD}"), *_offer_counts(catalog))
    if not changes_by_offer:
        return text
    last = f"\nlast change  {_changed_and_verdict(catalog, changes_by_offer)}"
    return Content.assemble(text, last, *_definition_changes(changes_by_offer))


def _offer_counts(catalog: dict[str, Any]) -> list[Content]:
    tools, resources, templates, prompts = (
        len(catalog.get(part) or ()) for part in ("tools", "resources", "templates", "prompts")
    )
    counts = ((tools, "tool"), (resources + templates, "resource"), (prompts, "prompt"))
    return [Content("\n" + ", ".join(plural(count, noun) for count, noun in counts))]


def _skipped_files(skipped: list[dict[str, str]]) -> list[tuple[str, str]]:
    if not skipped:
        return []
    some = "; ".join(f"{Path(entry['file']).name}: {entry['reason']}" for entry in skipped[:_MAX_SKIPPED])
    more = "; …" if len(skipped) > _MAX_SKIPPED else ""
    text = f"{plural(len(skipped), 'file')} not loaded ({some}{more}); `workbench files` lists all"
    return [(f"\n{escaped(text)}", MUTED)]


def _changes(changes: dict[str, dict[str, list[str]]]) -> list[Content | tuple[str, str]]:
    """One line for each kind of change and each kind of definition."""
    lines: list[Content | tuple[str, str]] = []
    for part, kinds in changes.items():
        for kind, (sign, colour) in _SIGNS.items():
            if names := kinds.get(kind):
                lines += [Content("\n"), (f"{sign} {part} {kind}: {escaped(', '.join(names))}", colour)]
    return lines or [("\nNothing that clients see has changed.", MUTED)]


def _definition_changes(changes_by_offer: ChangesByOffer) -> list[tuple[str, str]]:
    """One line for each change of a definition, those that break something first."""
    lines = sorted(_change_lines(changes_by_offer), key=lambda line: not line[0].is_breaking)
    texts = [change_text(change, name) for change, name in islice(lines, _MAX_CHANGES)]
    if len(lines) > _MAX_CHANGES:
        texts.append((f"\n  and {plural(len(lines) - _MAX_CHANGES, 'further change')}", MUTED))
    return texts


def _change_lines(changes_by_offer: ChangesByOffer) -> Iterator[tuple[DefinitionChange, str]]:
    for (_, name), changes in changes_by_offer.items():
        # What is only new or removed is listed by name.
        yield from ((change, name) for change in changes if change.path)


def change_text(change: DefinitionChange, name: str = "", *, has_verdict: bool = True) -> tuple[str, str]:
    """Return a change on a line of its own, with its verdict if that is not above, and the colour of the line."""
    sign, colour = ("✗", BAD) if change.is_breaking else ("·", MUTED)
    verdict = f" ({change.verdict})" if has_verdict and change.verdict is not Verdict.NONE else ""
    return f"\n  {sign} {escaped(name)}{': ' if name else ''}{escaped(change.sentence)}{verdict}", colour
