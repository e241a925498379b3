"""Build definitions from declarations.

* :mod:`~server_core.catalog.building.signature`, :mod:`~server_core.catalog.building.argument_schemas`,
  :mod:`~server_core.catalog.building.result_schemas` - the JSON Schemas of a function
  (:mod:`~server_core.catalog.building.type_schemas`), and the conversion of arguments and results
* :mod:`~server_core.catalog.building.custom_schemas`, :mod:`~server_core.catalog.building.custom_arguments` - the same
  for schemas that the author wrote
* :mod:`~server_core.catalog.building.tool_building`, :mod:`~server_core.catalog.building.resource_building`,
  :mod:`~server_core.catalog.building.prompt_building` - a declaration of each kind -> its definition
* :mod:`~server_core.catalog.building.definition_building`, :mod:`~server_core.catalog.building.assembly` - any
  declaration -> its definition and problems, and all declarations -> a catalog
"""
