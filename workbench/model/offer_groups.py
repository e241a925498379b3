"""The groups in which the offers of a server are listed: tools by toolkit or file, everything else by kind."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from workbench.model.catalog import Offer, OfferKind
from workbench.model.json_members import object_in, text_in

_TOOLS = "Tools"
_KINDS = {
    OfferKind.TOOL: _TOOLS,
    OfferKind.RESOURCE: "Resources",
    OfferKind.TEMPLATE: "Resources",
    OfferKind.PROMPT: "Prompts",
}


@dataclass(frozen=True, slots=True)
class OfferGroup:
    title: str
    offers: Sequence[Offer]


def grouped(offers: Iterable[Offer], *, by_name: bool = False) -> list[OfferGroup]:
    """Return the groups of offers, which are in the server's order, or else sorted by name.

    Tools of several toolkits have a group for each toolkit, and else tools of several files one for each file.
    """
    offers = list(offers)
    titles = _tool_titles([offer for offer in offers if offer.kind is OfferKind.TOOL])
    members: dict[tuple[str, str], list[Offer]] = {}
    for offer in offers:
        title = titles.get(offer.name, _TOOLS) if offer.kind is OfferKind.TOOL else _KINDS[offer.kind]
        members.setdefault((_KINDS[offer.kind], title), []).append(offer)
    groups = [OfferGroup(title, _sorted(group) if by_name else group) for (_, title), group in members.items()]
    if by_name:
        # Tools stay above resources and prompts.
        groups.sort(key=lambda group: (group.offers[0].kind is not OfferKind.TOOL, group.title.lower()))
    return groups


def _sorted(offers: list[Offer]) -> list[Offer]:
    return sorted(offers, key=lambda offer: (offer.label.lower(), offer.label))


def _tool_titles(tools: list[Offer]) -> dict[str, str]:
    """Return the title of the group of each tool that does not belong to "Tools"."""
    toolkits = {tool.name: _toolkit(tool) for tool in tools}
    if len(set(toolkits.values())) > 1:
        return {name: toolkit for name, toolkit in toolkits.items() if toolkit}
    files = {tool.name: file for tool in tools if (file := text_in(object_in(tool.definition, "source"), "file"))}
    if len(set(files.values())) < 2:
        return {}
    # Code that was executed from a text has a name such as `<string>` in place of a file.
    folder = _common_folder(file for file in files.values() if not file.startswith("<"))
    return {name: file.removeprefix(folder) for name, file in files.items()}


def _common_folder(files: Iterable[str]) -> str:
    folders = [file.split("/")[:-1] for file in files] or [[]]
    common = takewhile(lambda pair: pair[0] == pair[1], zip(min(folders), max(folders), strict=False))
    return "".join(f"{part}/" for part, _ in common)


def _toolkit(tool: Offer) -> str:
    short_name = text_in(tool.definition, "short_name")
    if not short_name or short_name == tool.name or not tool.name.endswith(short_name):
        return ""
    return tool.name.removesuffix(short_name).rstrip("._")
