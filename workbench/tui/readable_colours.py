"""Readable colours in every theme: of separators, the frame of the focused part, list cursors, and texts.

Themes choose them freely, and some are nearly invisible. Each is kept where its contrast is 3:1 or more on the theme's
backgrounds, as WCAG 2.2 asks of parts of the interface (1.4.11), and else mixed with black or white until it is. What
counts are the colours that the terminal can show, and their brightness alone, for NO_COLOR.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from rich.color import ColorSystem
from rich.color_triplet import ColorTriplet
from textual.color import Color, ColorParseError

from workbench.tui.terminal_colours import PALETTE_OF_256, nearest

LEAST_CONTRAST = 3.0

# The backgrounds of panes and lists, and those of texts.
_OF_LISTS = ("background", "surface")
_OF_TEXTS = (*_OF_LISTS, "panel")
_TEXTS = ("text-primary", "text-accent", "text-success", "text-warning", "text-error")
# The colours that terminals can show, by Rich's names; those of other names are like the last.
_SYSTEMS = {"truecolor": None, "standard": ColorSystem.STANDARD}
_BLACK, _WHITE = Color(0, 0, 0), Color(255, 255, 255)
ACTIVE_SHARE = 0.4
"""The part of the primary colour behind the title of an active tab."""
_STEPS = 20
# The part of black or white in a placeholder.
_PLACEHOLDER = 0.38
# The themes of the terminal's own 16 colours: their values are unknown here.
_ANSI = {
    "active-foreground": "ansi_default",
    "border-blurred": "ansi_default",
    "badge": "ansi_yellow",
    "block-cursor-blurred-background": "ansi_bright_black",
    "block-cursor-blurred-foreground": "ansi_bright_white",
    "input-selection-foreground": "ansi_black",
}


def readable_colours(variables: Mapping[str, str], system: str | None = None) -> dict[str, str]:
    """Return the variables of a theme that have to be replaced or added for a terminal with a system of colours.

    `system` is one of :data:`rich.console.COLOR_SYSTEMS`; None if it is unknown.
    """
    if variables["background"].startswith("ansi"):
        return dict(_ANSI)
    quiet = _quiet_background(variables, system)
    variables = {**variables, **quiet}

    def readable_on(names: tuple[str, ...], colour: Color) -> Color:
        return readable(colour, [Color.parse(variables[name]) for name in names], system)

    focused = readable_on(_OF_LISTS, _colour(variables, "block-cursor-background", "primary"))
    blurred = readable_on(_OF_LISTS, _colour(variables, "panel", "background"))
    muted = _colour(variables, "foreground-muted", "foreground")
    background = Color.parse(variables["background"])
    faint = background.blend(muted.with_alpha(1), muted.a)
    selected = _colour(variables, "screen-selection-background", "primary")
    selection = readable_on(_OF_TEXTS, background.blend(selected.with_alpha(1), selected.a))
    return {
        **quiet,
        "border": readable_on(_OF_LISTS, _colour(variables, "accent", "primary")).hex,
        "border-blurred": blurred.hex,
        "block-cursor-background": focused.hex,
        "block-cursor-foreground": text_on(focused, system).hex,
        "block-cursor-blurred-background": blurred.hex,
        "block-cursor-blurred-foreground": text_on(blurred, system).hex,
        "active-foreground": _active_text(variables, system).hex,
        "badge": readable_on(_OF_TEXTS, Color.parse(variables["warning"])).hex,
        "foreground-muted": readable_on(_OF_TEXTS, faint).hex,
        **{name: readable_on(_OF_TEXTS, Color.parse(variables[name])).hex for name in _TEXTS},
        **_placeholders(variables, system),
        **{
            f"{kind}-selection-{part}": colour.hex
            for kind in ("screen", "input")
            for part, colour in (("background", selection), ("foreground", text_on(selection, system)))
        },
    }


def _active_text(variables: Mapping[str, str], system: str | None) -> Color:
    """Return the colour of the title of an active tab; see `ACTIVE` in :mod:`workbench.tui.colours`."""
    primary = Color.parse(variables["primary"])
    grounds = [Color.parse(variables[name]).blend(primary, ACTIVE_SHARE) for name in _OF_LISTS]
    return readable(_colour(variables, "foreground", "text"), grounds, system)


def _quiet_background(variables: Mapping[str, str], system: str | None) -> dict[str, str]:
    """Return a background of black or white for 16 colours, of which a middle grey is often the nearest."""
    if (system or "truecolor") in ("truecolor", PALETTE_OF_256):
        return {}
    is_dark = Color.parse(variables["background"]).brightness < 0.5
    return {"background": (_BLACK if is_dark else _WHITE).hex}


def _placeholders(variables: Mapping[str, str], system: str | None) -> dict[str, str]:
    """Return the colour of placeholders, which Textual makes of the field's own background; empty if it is readable."""
    fields = [Color.parse(variables[name]) for name in _OF_LISTS]
    shown = [field.blend(text_on(field, system), _PLACEHOLDER) for field in fields]
    if all(contrast(*pair, system) >= LEAST_CONTRAST for pair in zip(shown, fields, strict=True)):
        return {}
    return {"text-disabled": readable(shown[-1], fields, system).hex}


@lru_cache(512)
def contrast(first: Color, second: Color, system: str | None = None) -> float:
    """Return the contrast of two opaque colours as a terminal shows them, or of their brightness if that is lower."""
    shown = _as_shown(first, system), _as_shown(second, system)
    return min(_ratio(*shown), _ratio(*(colour.monochrome for colour in shown)))


def readable(colour: Color, backgrounds: Iterable[Color], system: str | None = None) -> Color:
    """Return the colour that is nearest to a colour and readable on all of the backgrounds."""
    backgrounds = list(backgrounds)

    def least(candidate: Color) -> float:
        return min(contrast(candidate, background, system) for background in backgrounds)

    target = max((_BLACK, _WHITE), key=least)
    candidates = (colour.blend(target, step / _STEPS) for step in range(_STEPS))
    return next((candidate for candidate in candidates if least(candidate) >= LEAST_CONTRAST), target)


def text_on(background: Color, system: str | None = None) -> Color:
    """Return black or white, whichever is more readable."""
    return max((_BLACK, _WHITE), key=lambda colour: contrast(colour, background, system))


def _colour(variables: Mapping[str, str], name: str, other: str) -> Color:
    try:
        return Color.parse(variables[name])
    except (KeyError, ColorParseError):
        return Color.parse(variables[other])


def _as_shown(colour: Color, system: str | None) -> Color:
    if system == PALETTE_OF_256:
        return Color(*nearest(ColorTriplet(*colour.rgb)).get_truecolor())
    reduced = _SYSTEMS.get(system or "truecolor", ColorSystem.STANDARD)
    return colour if reduced is None else Color(*colour.rich_color.downgrade(reduced).get_truecolor())


def _ratio(first: Color, second: Color) -> float:
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    # WCAG 2.2, relative luminance.
    parts = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour.normalized)
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
