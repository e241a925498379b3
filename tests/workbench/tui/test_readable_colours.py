"""The contrast of separators, of the frame of the focused part and of list cursors, in every theme of Textual."""

import pytest
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from tests.workbench.tui.driving import terminal, toasts
from tests.workbench.tui.fakes import FakeLink
from workbench.tui.readable_colours import ACTIVE_SHARE, LEAST_CONTRAST, contrast, readable_colours, text_on
from workbench.tui.terminal_colours import nearest, with_nearest_colours

# Themes of the terminal's own colours have no values to compare.
THEMES = [name for name in BUILTIN_THEMES if not name.startswith("ansi")]

in_every_colour_system = pytest.mark.parametrize("system", ["truecolor", "256", "standard"])


def readable_theme(name: str, system: str) -> dict[str, str]:
    theme = BUILTIN_THEMES[name]
    variables = {**theme.to_color_system().generate(), **theme.variables}
    return {**variables, **readable_colours(variables, system)}


def low_contrasts(name: str, system: str, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return which of these pairs of colours of a theme have less contrast than is wanted."""
    colours = readable_theme(name, system)

    def between(first: str, second: str) -> float:
        return contrast(Color.parse(colours[first]), Color.parse(colours[second]), system)

    return [pair for pair in pairs if between(*pair) < LEAST_CONTRAST]


@in_every_colour_system
def test_separators_frames_cursors_and_coloured_texts_have_a_contrast_of_three_in_every_theme(system: str) -> None:
    texts = ("badge", *(f"text-{colour}" for colour in ("primary", "accent", "success", "warning", "error")))
    parts = ("border", "border-blurred", "block-cursor-background", "block-cursor-blurred-background")
    pairs = [(part, ground) for part in (*parts, "foreground-muted") for ground in ("background", "surface")]
    pairs += [(text, ground) for text in texts for ground in ("background", "surface", "panel")]
    pairs += [(f"{cursor}-foreground", f"{cursor}-background") for cursor in ("block-cursor", "block-cursor-blurred")]
    for name in THEMES:
        assert low_contrasts(name, system, pairs) == [], name


@in_every_colour_system
def test_the_title_of_an_active_tab_has_a_contrast_of_three_in_every_theme(system: str) -> None:
    for name in THEMES:
        colours = {part: Color.parse(colour) for part, colour in readable_theme(name, system).items() if "#" in colour}
        for ground in ("background", "surface"):
            tab = colours[ground].blend(colours["primary"], ACTIVE_SHARE)
            assert contrast(colours["active-foreground"], tab, system) >= LEAST_CONTRAST, (name, ground)


@in_every_colour_system
def test_selected_text_has_a_contrast_of_three_in_every_theme(system: str) -> None:
    pairs = []
    for kind in ("screen-selection", "input-selection"):
        pairs += [(f"{kind}-background", other) for other in ("background", "surface", "panel", f"{kind}-foreground")]
    for name in THEMES:
        assert low_contrasts(name, system, pairs) == [], name


@in_every_colour_system
def test_placeholders_have_a_contrast_of_three_in_every_theme(system: str) -> None:
    for name in THEMES:
        colours = readable_theme(name, system)
        for field in (Color.parse(colours[part]) for part in ("background", "surface")):
            if colours["text-disabled"].startswith("auto"):
                shown = field.blend(text_on(field, system), 0.38)
            else:
                shown = Color.parse(colours["text-disabled"])
            assert contrast(shown, field, system) >= LEAST_CONTRAST, name


def test_a_colour_of_a_theme_that_is_readable_stays() -> None:
    colours = readable_theme("catppuccin-mocha", "truecolor")
    assert colours["block-cursor-background"] == "#F5C2E7"


async def test_the_terminal_uses_readable_colours_also_for_selected_text_and_reports_its_copy() -> None:
    async with terminal(FakeLink(), pane="problems") as (pilot, app):
        await pilot.press("ctrl+c")
        assert "clipboard" not in toasts(app)
        for name in ("textual-light", "nord"):
            app.theme = name
            await pilot.pause()
            wanted = readable_colours(BUILTIN_THEMES[name].to_color_system().generate())
            assert app.theme_variables["border-blurred"] == wanted["border-blurred"]
        app.screen.text_select_all()
        await pilot.pause()
        style = app.screen.get_component_rich_style("screen--selection")
        assert style.color is not None
        assert style.color.get_truecolor() != style.bgcolor.get_truecolor()  # type: ignore[union-attr]
        await pilot.press("ctrl+c")
        assert "in the clipboard" in toasts(app)
        assert app.clipboard
        app.theme = "ansi-dark"
        await pilot.pause()
        # A theme of the terminal's own colours has visible cursors, too.
        assert app.theme_variables["block-cursor-blurred-background"] == "ansi_bright_black"


@pytest.mark.parametrize("name", THEMES)
def test_backgrounds_keep_their_tone_in_256_colours_and_are_plain_in_16(name: str) -> None:
    colours = readable_theme(name, "256")
    for part in ("background", "surface", "panel"):
        colour = Color.parse(colours[part])
        shown = nearest(ColorTriplet(*colour.rgb)).get_truecolor()
        assert max(abs(before - after) for before, after in zip(colour.rgb, shown, strict=True)) <= 40, part
    assert readable_theme(name, "standard")["background"] in ("#000000", "#FFFFFF")


def test_every_colour_of_a_line_is_one_of_256_only_where_the_terminal_has_no_others() -> None:
    line = [Segment("x", Style(color="#88c0d0", bgcolor="#2e3440")), Segment("y")]
    [colours] = with_nearest_colours([], "256")
    styled, plain = colours.apply(line, Color(0, 0, 0))
    assert styled.style == Style(color="color(110)", bgcolor="color(237)")
    assert plain == line[1]
    assert with_nearest_colours([], "truecolor") == []
