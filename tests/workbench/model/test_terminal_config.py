"""The configuration of the terminal, and the mistakes in it."""

from tests.tables import each_row
from workbench.model.terminal_config import TerminalConfig, parse_config

TEXT = """
theme = "nord"  # comments are allowed
editor = "code --wait"

[keys]
run = "f9"
inspector.copy = "Y"
"""


def test_the_settings_are_read() -> None:
    assert parse_config(TEXT) == TerminalConfig("nord", "code --wait", {"run": "f9", "inspector.copy": "Y"})
    assert parse_config("") == TerminalConfig()


def test_saved_filters_are_read_and_may_name_others() -> None:
    config = parse_config('[filters]\nslow = "dur>1s"\nbad = "@slow status:err"\n')
    assert (config.filters, config.problems) == ({"slow": "dur>1s", "bad": "@slow status:err"}, ())


def test_keys_are_in_the_order_of_their_lines() -> None:
    config = parse_config('[keys]\ntools.copy = "f9"\nrestart = "f10"\ntools.run = "f10"\n')
    assert list(config.keys) == ["tools.copy", "restart", "tools.run"]


@each_row(
    ("text", "problem"),
    [
        ('theme = "nord"\neditor = \n', "line 2"),
        ('\nthme = "nord"', "line 2: there is no setting thme; did you mean theme?"),
        ("\n\ntheme = 3", "line 3: theme must be a text"),
        ('[keys]\nhelp = "f1"\nrun = 9', "line 3: the keys of run must be a text"),
        ("# a\nkeys = 3", "line 2: keys must be a table"),
        ('# a\n"th\\u0065me" = 3', "line 2: theme must be a text"),
        ('theme = "nord"\n[keys]\n"inspector.c\\u006Fpy" = 3', "line 3: the keys of inspector.copy must be a text"),
        ("[keys]\n'run' = 3", "line 2: the keys of run must be a text"),
        ('# a\n"a\\"b" = 1', 'line 2: there is no setting a"b'),
        ("# a\nkeys = {run = 3}", "line 2: the keys of run must be a text"),
        ("# a\n[tools]\nrun = 'f9'", "line 2: there is no setting tools"),
        ('[keys]\nhelp = "f1"\n[keys.tools]\nhelp = 3', "line 4: the keys of tools.help"),
        ("[keys.inspector]\ncopy = 3", "line 2: the keys of inspector.copy must be a text"),
        ("filters = 3", "line 1: filters must be a table"),
        ('[filters]\na = "b"\nslow = "dur>soon"', "line 3: the filter slow: dur is compared with a number"),
        ("[filters]\nslow = 5", "line 2: the filter slow must be a text"),
        ('[filters]\n"a b" = "x"', "line 2: the filter 'a b' needs a name of letters"),
        ('[filters]\na = "@a"', "line 2: the filter a: in the saved filter @a"),
    ],
)
def test_a_mistake_is_described_with_its_line_and_its_setting_has_the_default(text: str, problem: str) -> None:
    config = parse_config(text)
    assert len(config.problems) == 1
    assert problem in config.problems[0]
    assert config.theme in ("", "nord")
    assert config.keys in ({}, {"help": "f1"})
