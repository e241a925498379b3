"""A tool with a rich form: nested models, an enum, a date, a list and constraints."""

from datetime import date
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field

from server_core import tool


class Seating(Enum):
    """Where to sit."""

    INSIDE = "inside"
    TERRACE = "terrace"
    WINDOW = "window"


class Guest(BaseModel):
    """One of the people at the table."""

    name: Annotated[str, Field(description="First and last name", min_length=1, max_length=60)]
    diet: Annotated[str | None, Field(description="What they do not eat")] = None


class Contact(BaseModel):
    """Whom to notify when something changes."""

    name: Annotated[str, Field(min_length=1)]
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", description="Such as ada@example.org")]


class Booking(BaseModel):
    """A table that is taken."""

    table: int
    day: date
    hour: int
    seating: Seating
    guests: list[str]
    note: str


@tool(annotations={"destructiveHint": False})
def book_table(
    contact: Annotated[Contact, Field(description="Whom to notify when something changes")],
    day: Annotated[date, Field(description="The day of the visit")],
    guests: Annotated[list[Guest], Field(description="Everyone at the table", min_length=1, max_length=8)],
    hour: Annotated[int, Field(description="Full hour, 24-hour clock", ge=11, le=22)] = 19,
    seating: Annotated[Seating, Field(description="Where to sit")] = Seating.INSIDE,
) -> Booking:
    """Book a table for up to eight guests."""
    diets = [f"{guest.name}: no {guest.diet}" for guest in guests if guest.diet]
    return Booking(
        table=10 * (list(Seating).index(seating) + 1) + len(guests),
        day=day,
        hour=hour,
        seating=seating,
        guests=[guest.name for guest in guests],
        note="; ".join(diets) or f"confirmed to {contact.email}",
    )
