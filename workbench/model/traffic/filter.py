"""The filter language of the traffic: text -> a test for entries.

    filter  = or
    or      = and { "|" and }
    and     = not { ["&"] not }             words side by side must all hold
    not     = "!" not | "(" or ")" | term
    term    = token | comparison | path | regex | word

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
    word        hello  "two words"          contained in method, name or body

Case makes no difference anywhere but in ids and in the keys and values of paths. A backslash in quotes or in a regex
makes the next character literal.
"""

import re
from dataclasses import dataclass, replace

from server_core.runtime.suggestions import closest_name
from workbench.model.traffic.filter_paths import OPERATOR, PATH, path_term
from workbench.model.traffic.filter_terms import FIELDS, FilterError, Test, Token, term
from workbench.model.traffic.message_facts import MessageFacts


@dataclass(frozen=True, slots=True)
class Filter:
    """A test for entries."""

    text: str  # as typed
    test: Test
    names_effects: bool = False  # whether it is about single records: what calls caused
    hint: str = ""  # what was probably meant, where a term is valid and looks like a mistake
    unknown_field: str = ""  # of the first word that is written as a field, such as `city:Paris`

    def __call__(self, entry: MessageFacts) -> bool:
        return self.test(entry)

    def after(self, seq: int) -> "Filter":
        """Return the filter for messages newer than a record only; 0 for the filter itself."""
        return replace(self, test=lambda entry: entry.seq > seq and self.test(entry)) if seq else self

    def until(self, seq: int) -> "Filter":
        """Return the filter for messages up to a record only; 0 for the filter itself."""
        return replace(self, test=lambda entry: entry.seq <= seq and self.test(entry)) if seq else self


EVERYTHING = Filter("", lambda entry: True)  # Hides nothing.


def parse_filter(text: str) -> Filter:
    """Parse a filter, whose grammar is at the top of this module; FilterError names a problem and its position."""
    if not text.strip():
        return EVERYTHING
    parser = _Parser(text)
    return Filter(text, parser.parse(), parser.names_effects, parser.hint, parser.unknown_field)


_SPACE = re.compile(r"\s+")
_FIELD = re.compile(r"([A-Za-z]+):")
_ASSIGNMENT = re.compile(r"([A-Za-z]+)[:=]")
# Not the scheme of a URL.
_UNKNOWN_FIELD = re.compile(r"([A-Za-z]+):(?!//)")
_COMPARISON = re.compile(r"(dur|size|seq)(>=|<=|>|<|=)", re.IGNORECASE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)+)/")
_WORD = re.compile(r'[^\s()|&!"][^\s()|&"]*')
_OPERATORS = "()|&!"
# The fields that choose single records.
_OF_RECORDS = frozenset({"call", "hold", "kind", "method"})


class _Parser:
    """Recursive descent over one text; the grammar is at the top of this module."""

    _DEEPEST = 50

    def __init__(self, text: str) -> None:
        self._text = text
        self.hint = ""
        self.unknown_field = ""
        self._tokens = self._tokenise()
        self._next = 0
        self._depth = 0

    def parse(self) -> Test:
        test = self._or()
        if (token := self._peek()) is not None:
            raise FilterError(
                f"{token.text!r} closes no bracket: remove it, or open a bracket before it", token.position
            )
        return test

    @property
    def names_effects(self) -> bool:
        return any(token.kind == "field" and token.name in _OF_RECORDS for token in self._tokens)

    def _or(self) -> Test:
        tests = [self._and()]
        while self._accept("|"):
            tests.append(self._and())
        return tests[0] if len(tests) == 1 else lambda entry: any(test(entry) for test in tests)

    def _and(self) -> Test:
        tests = [self._not()]
        while (token := self._peek()) is not None and token.kind not in "|)":
            self._accept("&")
            tests.append(self._not())
        return tests[0] if len(tests) == 1 else lambda entry: all(test(entry) for test in tests)

    def _not(self) -> Test:
        token = self._peek()
        if token is None:
            raise FilterError("the filter is incomplete: add a term at the end", len(self._text))
        self._next += 1
        if token.kind in "!(":
            self._depth += 1
            if self._depth > self._DEEPEST:
                raise FilterError("too many brackets inside each other", token.position)
            test = self._negated() if token.kind == "!" else self._group(token)
            self._depth -= 1
            return test
        if token.kind in _OPERATORS:
            raise FilterError(f"{token.text!r} needs a term before it", token.position)
        return path_term(token) if token.kind == "path" else term(token)

    def _negated(self) -> Test:
        test = self._not()
        return lambda entry: not test(entry)

    def _group(self, opening: Token) -> Test:
        test = self._or()
        if not self._accept(")"):
            raise FilterError("this bracket is not closed: add ')'", opening.position)
        return test

    def _peek(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _accept(self, kind: str) -> bool:
        token = self._peek()
        if token is None or token.kind != kind:
            return False
        self._next += 1
        return True

    def _tokenise(self) -> list[Token]:
        tokens = []
        position = 0
        while position < len(self._text):
            if space := _SPACE.match(self._text, position):
                position = space.end()
                continue
            token, position = self._token(position)
            tokens.append(token)
        return tokens

    def _token(self, start: int) -> tuple[Token, int]:
        character = self._text[start]
        if character in _OPERATORS:
            return Token(character, character, start), start + 1
        if character == "/" and (regex := _REGEX.match(self._text, start)):
            return Token("regex", regex[1], start), regex.end()
        if comparison := _COMPARISON.match(self._text, start):
            value, end, _ = self._value(comparison.end())
            return Token("compare", value, start, comparison[1].lower(), comparison[2]), end
        if path := PATH.match(self._text, start):
            return self._path(path)
        field = _FIELD.match(self._text, start)
        if field and field[1].lower() in FIELDS:
            value, end, is_quoted = self._value(field.end())
            return Token("field", value, start, field[1].lower(), is_quoted=is_quoted), end
        self._look_for_mistake(start)
        value, end, _ = self._value(start)
        return Token("word", value, start), end

    def _path(self, path: re.Match[str]) -> tuple[Token, int]:
        comparison = OPERATOR.match(self._text, path.end())
        if comparison is None or comparison[2]:
            end = path.end() if comparison is None else comparison.end()
            return Token("path", "", path.start(), path[0], "exists"), end
        if comparison[1] == "=~":
            regex = _REGEX.match(self._text, comparison.end())
            if regex is None:
                raise FilterError("=~ needs a regular expression after it, such as /par(is|ma)/", path.start())
            return Token("path", regex[1], path.start(), path[0], "=~"), regex.end()
        value, end, is_quoted = self._value(comparison.end())
        return Token("path", value, path.start(), path[0], comparison[1], is_quoted), end

    def _look_for_mistake(self, start: int) -> None:
        """Note the field that a word such as `tol:greet` or `tool=greet` was probably meant to have."""
        if not self.unknown_field and (unknown := _UNKNOWN_FIELD.match(self._text, start)) is not None:
            self.unknown_field = unknown[1]
        if not self.hint and (word := _ASSIGNMENT.match(self._text, start)) is not None:
            field = closest_name(word[1], FIELDS, likeness=0.7)
            if field is not None:
                self.hint = f"{word[0]} is searched as a text; did you mean {field}: ?"

    def _value(self, start: int) -> tuple[str, int, bool]:
        """Return the word or quoted text at a position, where it ends, and whether it was quoted."""
        if quoted := _QUOTED.match(self._text, start):
            return re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL), quoted.end(), True
        if self._text.startswith('"', start):
            raise FilterError("this quote is not closed: add '\"'", start)
        word = _WORD.match(self._text, start)
        return (word[0], word.end(), False) if word else ("", start, False)
