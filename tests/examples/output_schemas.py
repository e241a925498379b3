"""Tools whose results have a schema: flat, nested, with members that may be missing or null."""

import calendar
import statistics
from collections import Counter
from datetime import date
from typing import Annotated, NotRequired
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from server_core import MCPApp

app = MCPApp("tools_with_output_schema", version="1.0.0")


class Statistics(TypedDict):
    """Statistics of some numbers."""

    count: int
    total: float
    mean: float
    median: float


class TextAnalysis(TypedDict):
    """Statistics of a text."""

    words: int
    characters: int
    top_words: list[str]


class Day(TypedDict):
    """A day."""

    year: int
    month: int
    day: int
    weekday: str


class CalendarInfo(TypedDict):
    """Where a day is in its year."""

    date: Day
    day_of_year: int
    is_leap_year: bool


class Address(TypedDict):
    """The parts of a URL."""

    scheme: str
    host: str
    port: int | None
    path: str


class ParsedUrl(TypedDict):
    """A URL, and its parts."""

    address: Address
    is_secure: bool


class Match(TypedDict, total=False):
    """What is known of a user; every member may be missing."""

    username: str
    email: str


class Profile(TypedDict):
    """A user; some members may be missing."""

    user_id: int
    username: str
    website: NotRequired[str]


class Record(TypedDict):
    """A value, or why there is none."""

    key: str
    value: str | None
    problem: str | None


class Member(TypedDict, total=False):
    """A member of a team."""

    name: str
    role: str


class Team(TypedDict):
    """A team; it may have no lead."""

    name: str
    lead: Member | None


@app.tool
def calculate_statistics(numbers: Annotated[list[float], "One number at least"]) -> Statistics:
    """Describe some numbers."""
    return Statistics(
        count=len(numbers),
        total=sum(numbers),
        mean=statistics.mean(numbers),
        median=statistics.median(numbers),
    )


@app.tool
def analyze_text(text: Annotated[str, "Any text"], top_n: Annotated[int, "How many words"] = 3) -> TextAnalysis:
    """Describe a text."""
    words = [word.strip(".,!?").lower() for word in text.split()]
    return TextAnalysis(
        words=len(words), characters=len(text), top_words=[word for word, _ in Counter(words).most_common(top_n)]
    )


@app.tool
def get_calendar_info(day: Annotated[date, "As in 2026-01-31"]) -> CalendarInfo:
    """Return where a day is in its year."""
    return CalendarInfo(
        date=Day(year=day.year, month=day.month, day=day.day, weekday=day.strftime("%A")),
        day_of_year=day.timetuple().tm_yday,
        is_leap_year=calendar.isleap(day.year),
    )


@app.tool
def parse_url(url: Annotated[str, "An address"]) -> ParsedUrl:
    """Split a URL into its parts."""
    parts = urlsplit(url)
    address = Address(scheme=parts.scheme, host=parts.hostname or "", port=parts.port, path=parts.path or "/")
    return ParsedUrl(address=address, is_secure=parts.scheme == "https")


@app.tool
def search_users(query: Annotated[str, "A name or an e-mail address"]) -> Match:
    """Find users; what is not known is left out."""
    return Match(email=query) if "@" in query else Match(username=query)


@app.tool
def get_user_profile(username: Annotated[str, "Whose"]) -> Profile:
    """Describe a user."""
    profile = Profile(user_id=7, username=username)
    if username == "admin":
        profile["website"] = "https://example.com"
    return profile


@app.tool
def lookup_record(key: Annotated[str, "Of the record"]) -> Record:
    """Look a value up."""
    value = {"color": "blue"}.get(key)
    return Record(key=key, value=value, problem=None if value else f"There is no {key!r}.")


@app.tool
def get_team_info(team_name: Annotated[str, "Of the team"]) -> Team:
    """Describe a team."""
    return Team(name=team_name, lead=Member(name="Ada") if team_name == "engine" else None)


if __name__ == "__main__":
    app.run()
