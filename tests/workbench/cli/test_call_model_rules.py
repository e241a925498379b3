"""Rules that ask a model: any endpoint of the two kinds, with consent, a timeout and a key that is never shown."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.small_project import small_project
from tests.workbench.cli.conftest import Run
from tests.workbench.cli.test_call_rules import TOOLS

KEY = "sk-very-secret-1234"


class Endpoint(HTTPServer):
    """Answers each request with a status, a type and a body, and stores what it received."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.kind, self.body = 200, "text/event-stream", b""
        self.hangs = threading.Event()  # set while it does not answer
        self.released = threading.Event()
        self.received: list[tuple[str, dict[str, str], Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def stream(self, *events: Any) -> None:
        self.body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append((self.path, headers, body))
        if self.server.hangs.is_set():
            self.server.released.wait(5)
            return
        self.send_response(self.server.status)
        self.send_header("content-type", self.server.kind)
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *arguments: Any) -> None: ...


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    small_project(tmp_path)
    (tmp_path / "asking.py").write_text(TOOLS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODEL_KEY", KEY)
    return tmp_path


def write(project: Path, endpoint: Endpoint, api: str, options: str = "off: false, confirm: false") -> None:
    rule = f"{{model: m-1, api: {api}, url: '{endpoint.url}', key: '${{secret:MODEL_KEY}}', {options}}}"
    (project / "workbench.yaml").write_text(f"rules:\n  poet: {rule}\n")


def openai(text: str) -> list[Any]:
    usage = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 34}}
    return [*({"choices": [{"delta": {"content": part}}]} for part in (text[:3], text[3:])), usage]


def test_an_openai_compatible_endpoint_answers_and_its_tokens_are_counted(
    project: Path, run: Run, endpoint: Endpoint
) -> None:
    write(project, endpoint, "openai")
    endpoint.stream(*openai("Green\nCloud"))
    endpoint.body += b"data: [DONE]\n\n"
    code, out, err = run("call", "name_dish")
    assert (code, out) == (0, "Green\nCloud\n")
    assert "Rule `poet` answered (m-1, 12 + 34 tokens)." in err
    assert "  Green\n" in err
    ((path, headers, body),) = endpoint.received
    assert (path, headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["messages"] == [{"role": "user", "content": "Name a soup."}]
    assert body["stream"] is True


def test_an_anthropic_endpoint_fills_in_a_form(project: Path, run: Run, endpoint: Endpoint) -> None:
    write(project, endpoint, "anthropic")
    endpoint.stream(
        {"type": "message_start", "message": {"usage": {"input_tokens": 5}}},
        {"type": "ping"},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": '```json\n{"cups":'}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": " 3}\n```"}},
        {"type": "message_delta", "usage": {"output_tokens": 6}},
    )
    code, out, err = run("call", "order")
    assert (code, out) == (0, "accept cups=3 oat=False\n")
    assert "(m-1, 5 + 6 tokens)" in err
    ((path, headers, body),) = endpoint.received
    assert (path, headers["x-api-key"]) == ("/v1/messages", KEY)
    assert '"cups"' in body["system"]


@pytest.mark.parametrize(
    ("status", "kind", "body", "reason"),
    [
        (
            401,
            "application/json",
            b'{"error": {"message": "no sk-very-secret-1234"}}',
            "answered 401: no <secret",
        ),
        (500, "text/html", b"<html>oops", "answered 500: <html>oops"),
        (200, "application/json", b"{}", "sent no event stream"),
        (200, "text/event-stream", b"data: rubbish\n\n", "sent 'rubbish', which is no event of a completion"),
        (200, "text/event-stream", b'data: {"error": {"message": "overloaded"}}\n\n', "reported: overloaded"),
        (200, "text/event-stream", b"", "the model m-1 wrote nothing"),
    ],
)
def test_an_endpoint_that_does_not_answer_is_explained_without_the_key(
    project: Path, run: Run, endpoint: Endpoint, status: int, kind: str, body: bytes, reason: str
) -> None:
    write(project, endpoint, "openai")
    endpoint.status, endpoint.kind, endpoint.body = status, kind, body
    code, out, err = run("call", "order")
    assert (code, out) == (0, "decline\n")
    assert "Rule `poet` cannot answer: " in err
    assert reason in err
    assert KEY not in err


def test_an_endpoint_that_hangs_is_given_up(project: Path, run: Run, endpoint: Endpoint) -> None:
    write(project, endpoint, "openai", "off: false, confirm: false, timeout: 0.2")
    endpoint.hangs.set()
    assert "the model m-1 did not answer within 0.2 seconds" in run("call", "order")[2]


def test_an_endpoint_that_cannot_be_reached_is_explained(project: Path, run: Run, endpoint: Endpoint) -> None:
    (project / "workbench.yaml").write_text(
        "rules:\n  poet: {model: m, api: openai, url: 'http://127.0.0.1:9', off: false, confirm: false}\n"
    )
    assert "the endpoint cannot be used" in run("call", "order")[2]


def test_a_model_is_not_asked_without_consent_a_key_or_a_switch(
    project: Path, run: Run, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, endpoint, "openai", "confirm: false")
    assert "Rule" not in run("call", "order")[2]
    write(project, endpoint, "openai", "off: false")
    assert "each request to the model needs your consent" in run("call", "order")[2]
    write(project, endpoint, "openai")
    monkeypatch.delenv("MODEL_KEY")
    assert "the secret MODEL_KEY is not set" in run("call", "order")[2]
    assert endpoint.received == []
