"""How another server is reached, beyond its command or URL."""

import sys
from pathlib import Path

import pytest

from server_core.core import Core
from server_core.runtime.upstream_options import VARIABLE, UpstreamOptions
from tests.waiting import until
from workbench.link.local import LocalLink


def test_the_options_are_taken_from_the_environment_once(monkeypatch: pytest.MonkeyPatch) -> None:
    options = UpstreamOptions({"TEA_KEY": "k-123456"}, {"Authorization": "Bearer t-123456"}, "/tea")
    monkeypatch.setenv(VARIABLE, options.to_environment()[VARIABLE])
    assert UpstreamOptions.take() == options
    assert UpstreamOptions.take() == UpstreamOptions()
    assert VARIABLE not in UpstreamOptions().to_environment()


def test_the_values_of_headers_and_of_secret_variables_are_masked() -> None:
    options = UpstreamOptions(
        {"TEA_KEY": "k-123456", "MODE": "production", "SHORT_KEY": "on"},
        {"Authorization": "Bearer t-123456", "Cookie": "a=1-123456; b=2-123456"},
    )
    assert options.secrets == {
        "TEA_KEY": "k-123456",
        "Authorization": "t-123456",
        "Cookie": "a=1-123456",
        "Cookie-2": "b=2-123456",
    }
    assert "123456" not in repr(options)


SERVER = """
import os, sys
print("key", os.environ["TEA_KEY"], "in", os.getcwd(), file=sys.stderr, flush=True)
sys.stdin.read()
"""


async def test_a_relayed_command_has_its_variables_and_folder_and_its_secrets_are_masked(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    options = UpstreamOptions({"TEA_KEY": "k-123456"}, folder=str(tmp_path))
    command = [sys.executable, "server.py"]
    core = Core(upstream=command, upstream_options=options, link=False, capture=False)
    await core.start()
    try:
        link = LocalLink(core)
        await link.subscribe()
        channel = await link.open_session()
        lines: list[bytes] = []
        await until(
            lambda: lines.extend(record.data for record in link.drain(100)) or any(b"key" in line for line in lines)
        )
        assert f"key <secret TEA_KEY> in {tmp_path}".encode() in lines
        await channel.close()
        await link.close()
    finally:
        await core.stop()
