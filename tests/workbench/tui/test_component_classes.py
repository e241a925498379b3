"""Every colour that a row is painted in is a component class of its widget: without one, painting ends the program."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from itertools import product
from types import ModuleType

import pytest
from textual.widget import Widget

import workbench.tui
from server_core.records.tap import Direction, Kind
from tests.workbench.model.records import timeline_of
from tests.workbench.tui.fakes import record
from workbench.model.traffic.entry import HANDSHAKE, STATELESS, Entry
from workbench.tui.widgets.traffic import TrafficList
from workbench.tui.widgets.traffic_columns import COLUMNS, STATUSES, Column

MODULES = [
    importlib.import_module(module.name) for module in pkgutil.walk_packages(workbench.tui.__path__, "workbench.tui.")
]

_STYLED = re.compile(r"& ?(?::[\w-]+)* ?> \.([a-z]+--[a-z]+)")
"""A component class in a style sheet: of the widget itself, not of what it contains."""

_NAMED = re.compile(r'"([a-z]+--[a-z]+)"')


def widgets_of(module: ModuleType) -> Iterator[type[Widget]]:
    """Return the widgets that a module defines."""
    for member in vars(module).values():
        if isinstance(member, type) and issubclass(member, Widget) and member.__module__ == module.__name__:
            yield member


WIDGETS = [widget for module in MODULES for widget in widgets_of(module)]


def declared(widget: type[Widget]) -> set[str]:
    """Return the component classes of a widget and of its bases."""
    return set(widget._get_component_classes())


def test_every_class_in_a_style_sheet_is_a_component_class_of_its_widget() -> None:
    styled = {widget.__name__: set(_STYLED.findall(widget.DEFAULT_CSS)) - declared(widget) for widget in WIDGETS}
    assert {name: missing for name, missing in styled.items() if missing} == {}
    assert any(_STYLED.search(widget.DEFAULT_CSS) for widget in WIDGETS)


def test_every_class_that_a_module_names_is_a_component_class_of_a_widget() -> None:
    everything = set().union(*(declared(widget) for widget in WIDGETS))
    named = {module.__name__: set(_NAMED.findall(inspect.getsource(module))) - everything for module in MODULES}
    assert {name: missing for name, missing in named.items() if missing} == {}


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.title)
def test_every_cell_of_the_traffic_is_painted_in_a_component_class(column: Column) -> None:
    assert {column.cell(entry)[1] for entry in every_entry()} <= {"", *declared(TrafficList)}


def every_entry() -> Iterator[Entry]:
    """Return an entry for each combination of what decides on its colours."""
    for kind, direction, era, status, method, mark in product(
        Kind, Direction, ("", HANDSHAKE, STATELESS), ("", *STATUSES), ("", "tools/call"), ("", "probe", "retry")
    ):
        entry = timeline_of(record(1, kind, direction, {"method": method}))[0]
        entry.era, entry.status, entry.method, entry.mark = era, status, method, mark
        yield entry
