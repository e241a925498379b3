"""The catalog of an app without problems."""

from server_core import MCPApp
from server_core.catalog.catalog import Catalog


def catalog_of(app: MCPApp) -> Catalog:
    catalog, problems = app.build()
    assert [problem.message for problem in problems] == []
    return catalog
