"""Python -> definitions: what an author has declared becomes what a server offers.

* :mod:`~server_core.catalog.building.signature`, :mod:`~server_core.catalog.building.arguments`,
  :mod:`~server_core.catalog.building.results` - a function -> JSON Schema
  (:mod:`~server_core.catalog.building.schema`), and the code that carries values over
* :mod:`~server_core.catalog.building.given_schemas`, :mod:`~server_core.catalog.building.given_arguments` - the same
  where the author gave the schemas
* :mod:`~server_core.catalog.building.tool_building`, :mod:`~server_core.catalog.building.resource_building`,
  :mod:`~server_core.catalog.building.prompt_building` - the declaration of one kind -> what it declares
* :mod:`~server_core.catalog.building.watched_files`, :mod:`~server_core.catalog.building.completion_sources` - which
  files a resource comes from, and what is proposed for arguments
* :mod:`~server_core.catalog.building.definition_building`, :mod:`~server_core.catalog.building.assembly` - any
  declaration, and all of them -> a catalog, and the problems met on the way
"""
