"""The events of the walks: input of the user, and files saved by other programs."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.terminal.terminal import KEYS
from workbench.tui.actions import ACTIONS

SMALLEST, LARGEST = (40, 12), (260, 70)

_MORE_KEYS = {
    "pageup": "\x1b[5~",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "insert": "\x1b[2~",
    "shift+up": "\x1b[1;2A",
    "shift+down": "\x1b[1;2B",
    "shift+left": "\x1b[1;2D",
    "shift+right": "\x1b[1;2C",
    "ctrl+left": "\x1b[1;5D",
    "ctrl+right": "\x1b[1;5C",
    "ctrl+enter": "\x1b[13;5u",
    "alt+enter": "\x1b\r",
    "question_mark": "?",
    "slash": "/",
    "equals_sign": "=",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
}

BYTES = KEYS | _MORE_KEYS | {f"ctrl+{letter}": chr(ord(letter) & 0x1F) for letter in "abcdefghijklmnopqrstuvwxyz"}
"""The escape sequences of the keys that are more than a character."""

_BOUND = [key for action in ACTIONS for key in action.keys.split(",") if action.id != "quit"]
_MOVES = ["up", "down", "left", "right", "tab", "shift+tab", "enter", "escape", "pageup", "pagedown", "home", "end"]
_MOVES += ["space", "backspace", "delete"]
_CHARACTERS = [*"abcdefghijklmnoprstuvwxyzABGNRXYZ0123456789.,-_:{}[]\"'<>!*"]

_TEXTS = [
    *("tea", "42", "-1", "3.5", "1e400", "true", "null", "2027-01-15", "12:30:00", "red", "cat", "12345", "ABC-1"),
    *("{}", '{"a": [1, {"b": null}]}', "[1, 2", "SGVsbG8=", "http://127.0.0.1:9/mcp", "a=1 b=2", "x" * 300),
    *("tool:greet status:err", "dur>5 !kind:stderr", "/[a-z/", "(((", '"', "[bold]x[/bold]"),
    *("Ada Lovelace", "漢字カナ🍵", "e\u0301\u200d\u202eabc"),
]

_PASTES = [
    "def f(x):\r    return x\r\r",
    "one\ntwo\r\nthree",
    '{\r  "rows": [[1, 2], [3]]\r}',
    "漢" * 400,
    "y" * 9_000,
    "",
]

_TOOL = "from server_core import tool\n\n\n@tool\n"

_SOURCES = [
    f'{_TOOL}def extra(a: int, b: str = "x") -> str:\n    """Extra."""\n    return b * a\n',
    f"{_TOOL}def extra(b: list[str], c: dict[str, int] | None = None) -> int:\n    return 1\n",
    f"{_TOOL}def extra(a: int\n",
    f"{_TOOL}def extra(a) -> str:\n    return missing\n",
    "raise SystemExit(1)\n",
    "",
]


@dataclass(frozen=True, slots=True)
class Event:
    """An event.

    Attributes:
        name: its name in the report of a walk.
        data: the bytes that the terminal sends, for keys, the mouse and pastes.
        size: the new columns and rows, for a resize.
        save: the file and its content, for a save; None deletes the file.
    """

    name: str
    data: bytes = b""
    size: tuple[int, int] | None = None
    save: tuple[Path, str | None] | None = None


def next_event(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    """Return the next event.

    Args:
        chance: the random generator.
        size: the current columns and rows.
        project: the folder in which files are saved.
    """
    kind = chance.choices(list(_KINDS), weights=[weight for weight, _ in _KINDS.values()])[0]
    return _KINDS[kind][1](chance, size, project)


def _key(names: list[str]) -> "Maker":
    def make(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
        name = chance.choice(names)
        return Event(name, BYTES.get(name, name).encode())

    return make


def _typed(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    text = chance.choice(_TEXTS)
    return Event(f"type {text[:40]!r}", text.encode())


def _pasted(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    text = chance.choice(_PASTES)
    return Event(f"paste {text[:20]!r} ({len(text)})", b"\x1b[200~" + text.encode() + b"\x1b[201~")


def _clicked(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    x, y, button = chance.randint(1, size[0]), chance.randint(1, size[1]), chance.choice([0, 0, 0, 0, 1, 2])
    press, release = f"\x1b[<{button};{x};{y}M", f"\x1b[<{button};{x};{y}m"
    times = chance.choice([1, 1, 1, 2, 3])
    return Event(f"click {button} at {x},{y} x{times}", (press + release).encode() * times)


def _dragged(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    places = [(chance.randint(1, size[0]), chance.randint(1, size[1])) for _ in range(3)]
    moves = "".join(f"\x1b[<32;{x};{y}M" for x, y in places[1:])
    (x, y), (to_x, to_y) = places[0], places[-1]
    return Event(f"drag {places}", f"\x1b[<0;{x};{y}M{moves}\x1b[<0;{to_x};{to_y}m".encode())


def _hovered(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    x, y = chance.randint(1, size[0]), chance.randint(1, size[1])
    return Event(f"hover {x},{y}", f"\x1b[<35;{x};{y}M".encode())


def _wheeled(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    x, y, way = chance.randint(1, size[0]), chance.randint(1, size[1]), chance.choice([64, 65])
    return Event(f"wheel {way} at {x},{y}", f"\x1b[<{way};{x};{y}M".encode() * chance.randint(1, 4))


def _resized(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    columns, rows = chance.randint(SMALLEST[0], LARGEST[0]), chance.randint(SMALLEST[1], LARGEST[1])
    return Event(f"resize {columns}x{rows}", size=(columns, rows))


def _saved(chance: random.Random, size: tuple[int, int], project: Path) -> Event:
    name, source = chance.choice(["extra.py", "more.py"]), chance.choice([*_SOURCES, None])
    return Event(f"save {name} {None if source is None else source[-40:]!r}", save=(project / name, source))


Maker = Callable[[random.Random, tuple[int, int], Path], Event]

_KINDS: dict[str, tuple[int, Maker]] = {
    "move": (34, _key(_MOVES)),
    "bound": (24, _key(_BOUND)),
    "character": (8, _key(_CHARACTERS)),
    "any key": (3, _key([*BYTES])),
    "quit": (1, _key(["q", "ctrl+q", "ctrl+c"])),
    "type": (8, _typed),
    "paste": (2, _pasted),
    "click": (12, _clicked),
    "drag": (1, _dragged),
    "hover": (2, _hovered),
    "wheel": (3, _wheeled),
    "resize": (3, _resized),
    "save": (2, _saved),
}
"""The kinds of events with their weights and factories."""
