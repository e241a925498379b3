"""Measure the order of the code, and print a line for each figure: standard library alone.

Everything is read with `ast` and `tokenize` but the path of a call, which is served in this process and profiled.
With `--tests` the cases that pytest would collect are counted as well, which takes half a minute.
"""

import ast
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGES = ("server_core", "workbench")
SHORT_FILE = 60
"""Lines; files with fewer are counted."""
CLIENT_PORT = ROOT / "server_core" / "execution" / "context" / "client_port.py"
WARM_UP = 3
"""Calls before the one that is profiled: the first imports what later ones have."""


def main() -> None:
    """Print the figures."""
    sources = {path: path.read_text("utf-8") for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}
    trees = {path: ast.parse(source) for path, source in sources.items()}
    for figure, value in [
        *_size(sources),
        *_folders(sources),
        *_imports(trees),
        *_comments(sources, trees),
        *_names(trees),
        *_client_ports(trees),
        *_call_path(),
        *(_test_cases() if "--tests" in sys.argv else ()),
    ]:
        print(f"{figure:<72} {value}")


def _size(sources: Mapping[Path, str]) -> Iterator[tuple[str, object]]:
    lengths = [len(source.splitlines()) for source in sources.values()]
    filled = [sum(bool(line.strip()) for line in source.splitlines()) for source in sources.values()]
    yield "lines of the product", sum(lengths)
    yield "files", len(lengths)
    yield f"files of fewer than {SHORT_FILE} lines", sum(length < SHORT_FILE for length in lengths)
    yield "lines of a file that are not empty, median", statistics.median(filled)


def _folders(sources: Mapping[Path, str]) -> Iterator[tuple[str, object]]:
    loose = [path for path in sources if path.parent == ROOT / "server_core"]
    yield "modules in the root of server_core", len(loose)
    yield "lines in them", sum(len(sources[path].splitlines()) for path in loose)


def _imports(trees: Mapping[Path, ast.Module]) -> Iterator[tuple[str, object]]:
    """Count the files that reach each other by imports of every kind: in functions and for types as well."""
    modules = {_module(path): path for path in trees}
    needed = {_module(path): set(_imported(tree, modules)) - {_module(path)} for path, tree in trees.items()}
    yield "files in the largest knot of imports, late and type-only ones included", max(map(len, _knots(needed)))


def _module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(tree: ast.Module, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name not in modules and "." in name:
                name = name.rpartition(".")[0]
            if name in modules:
                yield name


def _knots(needed: Mapping[str, set[str]]) -> Iterator[set[str]]:
    """Yield the sets of modules that all reach each other."""
    reach = {module: _reachable(module, needed) for module in needed}
    left = set(needed)
    while left:
        module = left.pop()
        knot = {other for other in reach[module] if module in reach[other]} | {module}
        left -= knot
        yield knot


def _reachable(module: str, needed: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        new = needed[waiting.pop()] - reached
        reached |= new
        waiting.extend(new)
    return reached


def _comments(sources: Mapping[Path, str], trees: Mapping[Path, ast.Module]) -> Iterator[tuple[str, object]]:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = comments = 0
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
                first = node.body[0]
                docstrings += (first.end_lineno or first.lineno) - first.lineno + 1
        with path.open("rb") as file:
            comments += sum(token.type == tokenize.COMMENT for token in tokenize.tokenize(file.readline))
    yield "lines of docstrings", docstrings
    yield "comments", comments


def _names(trees: Mapping[Path, ast.Module]) -> Iterator[tuple[str, object]]:
    classes = Counter(node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    files = Counter(path.stem for path in trees if path.stem not in ("__init__", "__main__"))
    yield "class names that occur more than once", sum(count > 1 for count in classes.values())
    yield "file names that occur more than once", sum(count > 1 for count in files.values())


def _client_ports(trees: Mapping[Path, ast.Module]) -> Iterator[tuple[str, object]]:
    """Count the classes that have most members of `ClientPort`, and those of these members that only pass on."""
    protocol = next(node for node in _classes(trees[CLIENT_PORT]) if node.name == "ClientPort")
    wanted = set(_methods(protocol))
    ports = [
        node
        for tree in trees.values()
        for node in _classes(tree)
        if node is not protocol and len(wanted & _methods(node).keys()) > len(wanted) / 2
    ]
    passing_on = sum(_passes_on(method) for node in ports for name, method in _methods(node).items() if name in wanted)
    yield "implementations of ClientPort", len(ports)
    yield "members of them that only pass on", passing_on


def _classes(tree: ast.Module) -> Iterable[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    return {item.name: item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}


def _passes_on(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method does nothing but use the member of the same name of another object."""
    body = [node for node in method.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    return len(body) == 1 and any(
        isinstance(node, ast.Attribute) and node.attr == method.name for node in ast.walk(body[0])
    )


def _call_path() -> Iterator[tuple[str, object]]:
    from server_core.protocol.revisions import LATEST, LATEST_STATELESS

    for revision in (LATEST, LATEST_STATELESS):
        frames = asyncio.run(_profiled_call(revision.date, revision.stateless))
        files = {code.co_filename for code in frames}
        yield f"files that a tools/call on stdio passes, {revision.date}", len(files)
        yield f"frames of ours in it, {revision.date}", len(frames)


async def _profiled_call(date: str, stateless: bool) -> list[Any]:
    """Return the code of every frame of ours, from the bytes of a request on a pipe to the bytes of its answer."""
    from server_core import MCPApp
    from server_core.catalog.catalog import EMPTY, diff
    from server_core.loading.project import Generation
    from server_core.protocol import jsonrpc
    from server_core.protocol.envelope import CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION
    from server_core.records.tap import Tap
    from server_core.serving.server import Server
    from server_core.settings import Settings
    from server_core.transports.stdio import serve_stdio

    app = MCPApp("traced", "1.0.0", toolkit="")

    async def echo(text: str) -> str:
        """Return the text."""
        return text

    app.tool(echo, name="echo")
    server = Server(Tap(), Settings(), _no_secrets, app.identity)
    catalog, _ = app.build()
    changes = diff(EMPTY, catalog)
    server.swap(Generation(1, catalog, app.identity, (), frozenset(), changes, (), 1.0, True, (app,)))
    (server_in, client_out), (client_in, server_out) = os.pipe(), os.pipe()
    os.set_blocking(client_in, False)
    serving = asyncio.create_task(  # noqa: TID251  It is awaited below.
        serve_stdio(server, stdin_fd=server_in, stdout_fd=server_out, settings=server.settings)
    )
    info = {"name": "house", "version": "1"}
    params: dict[str, Any] = {"name": "echo", "arguments": {"text": "hello"}}
    if stateless:
        params["_meta"] = {PROTOCOL_VERSION: date, CLIENT_CAPABILITIES: {}, CLIENT_INFO: info}
    else:
        hello = {"protocolVersion": date, "capabilities": {}, "clientInfo": info}
        await _answer(client_out, client_in, jsonrpc.request(0, "initialize", hello))
        os.write(client_out, jsonrpc.notification("notifications/initialized", {}) + b"\n")
    frames: list[Any] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT / "server_core")):
            frames.append(frame.f_code)

    for number in range(WARM_UP):
        await _answer(client_out, client_in, jsonrpc.request(number + 1, "tools/call", params))
    message = jsonrpc.request(WARM_UP + 1, "tools/call", params)
    sys.setprofile(profile)
    try:
        answer = await _answer(client_out, client_in, message)
    finally:
        sys.setprofile(None)
    assert json.loads(answer)["result"]["content"][0]["text"] == "hello", answer
    os.close(client_out)
    await serving
    return frames


async def _no_secrets(keys: Iterable[str]) -> Mapping[str, str]:
    return {}


async def _answer(client_out: int, client_in: int, message: bytes) -> bytes:
    """Send a request and return the line that answers it."""
    os.write(client_out, message + b"\n")
    answer = b""
    while not answer.endswith(b"\n"):
        readable = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().add_reader(client_in, readable.set_result, None)
        await readable
        asyncio.get_running_loop().remove_reader(client_in)
        answer += os.read(client_in, 1 << 20)
    return answer


def _test_cases() -> Iterator[tuple[str, object]]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist"]
    collected = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    yield "test cases", re.findall(r"^(\d+) tests? collected", collected, re.MULTILINE)[-1]


if __name__ == "__main__":
    main()
