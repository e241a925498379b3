"""Which tools a person may mean by what they type."""

import pytest

from workbench.client.tool_names import tools_named

pytestmark = pytest.mark.promises("tool names")

NAMES = ("EchoServer_SayHello", "EchoServer_Add", "Other_Add", "Other_Data_fetch-utility", "plain", "file_add")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("EchoServer_SayHello", ("EchoServer_SayHello",)),
        ("EchoServer.SayHello", ("EchoServer_SayHello",)),
        ("EchoServer.SayHello@2.0.0", ("EchoServer_SayHello",)),
        ("Other.Data.fetch-utility", ("Other_Data_fetch-utility",)),
        ("say_hello", ("EchoServer_SayHello",)),
        ("SayHello", ("EchoServer_SayHello",)),
        ("data.fetch-utility", ("Other_Data_fetch-utility",)),
        ("add", ("EchoServer_Add", "Other_Add")),
        ("plain", ("plain",)),
        ("Plain", ()),
        ("echoserver_sayhello", ()),
        ("", ()),
    ],
)
def test_a_name_stands_for_the_tools_that_it_may_mean(typed: str, meant: tuple[str, ...]) -> None:
    assert tools_named(typed, NAMES) == meant
