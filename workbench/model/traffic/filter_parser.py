"""Filter texts -> their syntax; the grammar is at the top of `workbench.model.traffic.filter`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType

from server_core.runtime.suggestions import closest_name
from workbench.model.traffic.filter_paths import OPERATOR, PATH, path_term
from workbench.model.traffic.filter_syntax import Negation, Node, Term, all_of, any_of
from workbench.model.traffic.filter_terms import FIELDS, term
from workbench.model.traffic.filter_tokens import FilterError, Token

NO_FILTERS: Mapping[str, str] = MappingProxyType({})

_SPACE = re.compile(r"\s+")
_FIELD = re.compile(r"([A-Za-z]+):")
_ASSIGNMENT = re.compile(r"([A-Za-z]+)([:=])")
_COMPARISON = re.compile(r"(dur|size|seq)(>=|<=|>|<|=)", re.IGNORECASE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_REGEX = re.compile(r"/((?:[^/\\]|\\.)+)/")
_WORD = re.compile(r'[^\s()|&!"][^\s()|&"]*')
_OPERATORS = "()|&!"
_SAVED = re.compile(r"@([\w-]+)")
# Saved filters may name others, but not each other in a circle.
_MOST_SAVED = 10


@dataclass(frozen=True, slots=True)
class ParsedFilter:
    """The tree of a filter, and the first word in it that looks like a mistake."""

    syntax: Node
    hint: str = ""  # what was probably meant
    unknown_field: str = ""  # of the first word that is written as a field, such as `city:Paris`


def parse_syntax(text: str, saved: Mapping[str, str] = NO_FILTERS) -> ParsedFilter:
    """Parse a filter.

    Args:
        saved: the filters that `@name` stands for, by name.

    Raises:
        FilterError: with each problem and its position.
    """
    parser = _Parser(text, saved)
    syntax = parser.parse()
    hint = min(parser.hints, key=attrgetter("position")).message if parser.hints else ""
    return ParsedFilter(syntax, hint, parser.unknown_field)


class _Parser:
    """Recursive descent over one text; the grammar is at the top of `workbench.model.traffic.filter`."""

    _DEEPEST = 50

    def __init__(self, text: str, saved: Mapping[str, str], depth: int = 0) -> None:
        self.hints: list[FilterError] = []
        self.unknown_field = ""
        self._text = text
        self._saved = saved
        self._saved_depth = depth
        self._problems: list[FilterError] = []
        # The first word that is probably a regular expression with an operator in it, such as `/x(`.
        self._open_regex: FilterError | None = None
        self._next = 0
        self._depth = 0

    def parse(self) -> Node:
        try:
            self._tokens = self._tokenise()
            self._terms = {token.position: node for token in self._tokens if (node := self._term(token)) is not None}
            syntax = self._or()
            if (token := self._peek()) is not None:
                text = f"{token.text!r} closes no bracket: remove it, or open a bracket before it"
                raise FilterError(text, token.position)
        except FilterError as error:
            opened = self._open_regex
            self._problems.append(opened if opened is not None and opened.position < error.position else error)
        if self._problems:
            # A word that looks like a field is no mistake, but is probably meant to be changed as well.
            first, *others = sorted([*self._problems, *self.hints], key=attrgetter("position"))
            raise FilterError(first.message, first.position, tuple(others))
        return syntax

    def _term(self, token: Token) -> Node | None:
        """Return the node of a term; None for an operator, and for a term with a problem, which is noted."""
        if token.kind in _OPERATORS:
            return None
        try:
            if token.kind == "saved":
                return self._saved_filter(token)
            return Term(token, path_term(token) if token.kind == "path" else term(token))
        except FilterError as error:
            self._problems.append(error)
            return Term(token, lambda entry: False)

    def _saved_filter(self, token: Token) -> Node:
        if self._saved_depth == _MOST_SAVED:
            raise FilterError(f"@{token.text} stands for itself, or for too many other filters", token.position)
        try:
            return _Parser(self._saved[token.text], self._saved, self._saved_depth + 1).parse()
        except FilterError as error:
            raise FilterError(f"in the saved filter @{token.text}: {error.message}", token.position) from error

    def _or(self) -> Node:
        nodes = [self._and()]
        while self._accept("|"):
            nodes.append(self._and())
        return any_of(nodes)

    def _and(self) -> Node:
        nodes = [self._not()]
        while (token := self._peek()) is not None and token.kind not in "|)":
            self._accept("&")
            nodes.append(self._not())
        return all_of(nodes)

    def _not(self) -> Node:
        token = self._peek()
        if token is None:
            raise FilterError("the filter is incomplete: add a term at the end", len(self._text))
        self._next += 1
        if token.kind in "!(":
            self._depth += 1
            if self._depth > self._DEEPEST:
                raise FilterError("too many brackets inside each other", token.position)
            node = Negation(self._not()) if token.kind == "!" else self._group(token)
            self._depth -= 1
            return node
        if token.kind in _OPERATORS:
            raise FilterError(f"{token.text!r} needs a term before it", token.position)
        return self._terms[token.position]

    def _group(self, opening: Token) -> Node:
        node = self._or()
        if not self._accept(")"):
            raise FilterError("this bracket is not closed: add ')'", opening.position)
        return node

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
            name = field[1].lower()
            # Only of an id, and of an empty value, the quotes have a meaning.
            matters = is_quoted and (name == "id" or not value)
            return Token("field", value, start, name, is_quoted=matters), end
        if (saved := _SAVED.match(self._text, start)) and saved[1] in self._saved:
            return Token("saved", saved[1], start), saved.end()
        self._look_for_mistake(start)
        value, end, _ = self._value(start)
        if character == "/" and self._open_regex is None and end < len(self._text) and self._text[end] in _OPERATORS:
            text = (
                f"the regular expression {value}... is not closed: add '/' at its end, or quotes to search for a text"
            )
            self._open_regex = FilterError(text, start)
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
        """Note what a word such as `tol:greet`, `tool=greet` or `@slw` was probably meant to be."""
        word, saved = _ASSIGNMENT.match(self._text, start), _SAVED.match(self._text, start)
        if word is not None:
            if _is_field(word):
                self.unknown_field = self.unknown_field or word[1]
            name = closest_name(word[1], FIELDS, likeness=0.7)
            if name is not None:
                hint = f"{word[0]} is searched as a text; did you mean {name}: ?"
                self.hints.append(FilterError(hint, start))
            elif _is_field(word):
                self.hints.append(FilterError(f"there is no field {word[0]}, so it is searched as a text", start))
        elif saved is not None and not _WORD.match(self._text, saved.end()):
            known = ", ".join(f"@{name}" for name in self._saved) or "none yet"
            hint = f"there is no saved filter {saved[0]}, so it is searched as a text; saved are: {known}"
            self.hints.append(FilterError(hint, start))

    def _value(self, start: int) -> tuple[str, int, bool]:
        """Return the word or quoted text at a position, where it ends, and whether it was quoted."""
        if quoted := _QUOTED.match(self._text, start):
            return re.sub(r"\\(.)", r"\1", quoted[1], flags=re.DOTALL), quoted.end(), True
        if self._text.startswith('"', start):
            raise FilterError("this quote is not closed: add '\"'", start)
        word = _WORD.match(self._text, start)
        return (word[0], word.end(), False) if word else ("", start, False)


def _is_field(assignment: re.Match[str]) -> bool:
    """Return whether a word is written as a field, and not as the scheme of a URL."""
    return assignment[2] == ":" and not assignment.string.startswith("//", assignment.end())
