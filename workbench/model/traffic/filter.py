"""The filter language of the traffic: text -> a test for entries.

    filter  = or
    or      = and { "|" and }
    and     = not { ["&"] not }             words side by side must all hold
    not     = "!" not | "(" or ")" | term
    term    = token | comparison | path | regex | saved | word

    token       method:tools/call           the method contains this; the response has the method of its request
                tool:greet                  the tool, resource or prompt contains this; with all that its call caused
                client:inspector            what the client calls itself contains this
                dir:in  dir:out             the way it went, as the server sees it; c2s and s2c are synonyms
                status:ok                   also err (errors of all kinds), error, tool, pending, cancelled, asks
                                            (the result has questions), task (the result is a task)
                id:7  id:"7"                exactly this id; in quotes only the string, without them either
                kind:request                also response, notification, error, malformed, stderr, stdout, http,
                                            lifecycle
                session:s1                  exactly this session
                call:12                     the record with this number, its response, and all that belongs to it
                era:modern                  also legacy: without a session, or in one that began with initialize
                rev:2026-07-28              the revision that it is written in contains this
                probe:yes                   requests that only probe which revisions a server supports; no: all others
                hold:edited                 held, then edited; or released, dropped, duplicated, answered, expired;
                                            waits; passed (what was delivered instead); any
                mark:red  mark:*            marked by a user: red, yellow, green or blue; with any mark
                comment:later  comment:*    with a comment that contains this; with any comment
                secret:leak                 the value of a secret was in the message, and the record has its name there;
                                            or secret:NAME, the value of this secret
                after:9:30  before:9:31:05  at this time of day or later, earlier; or after:2026-01-31T09:30
                text:hello                  the same as the word alone
    comparison  dur>500ms  dur<=2s          the time between request and response; ms, s, min
                size>64k                    the length in bytes; k, m
                seq>100                     the record's number
    path        $.params.arguments.city == "Paris"
                                            the message has such a value there; also !=, <, <=, >, >=, =~ /regex/,
                                            and exists, which may be left out; [0] is an item, .* or [*] each of them,
                                            ["a key"] a key that is no name; without quotes, numbers, true, false and
                                            null are values, everything else is a text
    regex       /tim(e|ing) out/            searched in method, name and body
    saved       @slow                       the filter that was saved with this name
    word        hello  "two words"          contained in method, name or body

Case makes no difference anywhere but in ids and in the keys and values of paths. A backslash in quotes or in a regex
makes the next character literal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.model.traffic.filter_parser import NO_FILTERS, parse_syntax
from workbench.model.traffic.filter_syntax import Node, all_of
from workbench.model.traffic.filter_tokens import FilterError, Test
from workbench.model.traffic.message_facts import MessageFacts


@dataclass(frozen=True, slots=True)
class Filter:
    """A test for entries."""

    text: str  # the canonical text, in which saved filters are written out; equal filters have the same
    test: Test
    names_effects: bool = False  # whether it is about single records: what calls caused
    hint: str = ""  # what was probably meant, where a term is valid and looks like a mistake
    unknown_field: str = ""  # of the first word that is written as a field, such as `city:Paris`
    syntax: Node | None = None  # None for the filter that hides nothing

    def __call__(self, entry: MessageFacts) -> bool:
        return self.test(entry)

    def after(self, seq: int) -> "Filter":
        """Return the filter for messages newer than a record only; 0 for the filter itself."""
        return replace(self, test=lambda entry: entry.seq > seq and self.test(entry)) if seq else self

    def until(self, seq: int) -> "Filter":
        """Return the filter for messages up to a record only; 0 for the filter itself."""
        return replace(self, test=lambda entry: entry.seq <= seq and self.test(entry)) if seq else self


MAX_LENGTH = 10_000
"""Characters of a filter, which is parsed with each key; a paste into it may be any text."""

EVERYTHING = Filter("", lambda entry: True)  # Hides nothing.


def parse_filter(text: str, saved: Mapping[str, str] = NO_FILTERS) -> Filter:
    """Parse a filter, whose grammar is at the top of this module.

    Args:
        saved: the filters that `@name` stands for, by name.

    Raises:
        FilterError: with each problem and its position.
    """
    if not text.strip():
        return EVERYTHING
    if len(text) > MAX_LENGTH:
        raise FilterError(f"the filter is too long: use at most {MAX_LENGTH:,} characters", MAX_LENGTH)
    parsed = parse_syntax(text, saved)
    syntax = parsed.syntax
    names_effects = any(token.kind == "field" and token.name in _OF_RECORDS for token in syntax.tokens)
    return Filter(syntax.text, syntax.test, names_effects, parsed.hint, parsed.unknown_field, syntax)


def both(first: Filter, second: Filter) -> str:
    """Return the text of the filter for the messages that match two filters."""
    parts = [each.syntax for each in (first, second) if each.syntax is not None]
    return all_of(parts).text if parts else ""


# The fields that choose single records.
_OF_RECORDS = frozenset({"call", "comment", "hold", "kind", "mark", "method", "secret"})
