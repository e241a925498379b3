"""What a server offers: tools, resources and prompts, from the author's functions to what clients are told.

In the order in which they come into play:

* :mod:`~server_core.authoring.decorators`, :mod:`~server_core.catalog.declaring`,
  :mod:`~server_core.catalog.declarations` - what authors write, what its arguments say, and what is noted down of it
* :mod:`~server_core.loading.discovery` - which files of a folder declare something, without importing them
* :mod:`~server_core.loading.modules` - importing those files, again and again
* :mod:`~server_core.loading.load_problems` - what kept a file from being imported
* :mod:`~server_core.catalog.building.signature`, :mod:`~server_core.catalog.building.arguments`, :mod:`~server_core.catalog.building.results` -
  an author's function -> JSON Schema (:mod:`~server_core.catalog.building.schema`) and the code that carries values over
* :mod:`~server_core.catalog.building.given_schemas`, :mod:`~server_core.catalog.building.given_arguments`,
  :mod:`~server_core.authoring.header` - the same where the author gave the schemas, or wants a parameter in a header
* :mod:`~server_core.catalog.building.tool_building`, :mod:`~server_core.catalog.building.resource_building`,
  :mod:`~server_core.catalog.building.prompt_building` - the declaration of one kind -> what it declares; of resources, their
  :mod:`~server_core.catalog.uri_templates`, their :mod:`~server_core.catalog.resource_addresses` in a toolkit and their
  :mod:`~server_core.catalog.building.watched_files`; and what is proposed for arguments, :mod:`~server_core.catalog.building.completing`
* :mod:`~server_core.catalog.building.building`, :mod:`~server_core.catalog.building.assembly` - one declaration -> what it declares, and
  all of them -> a catalog and the problems met on the way
* :mod:`~server_core.catalog.definitions`, :mod:`~server_core.catalog.catalog` - the outcome, immutable
* :mod:`~server_core.catalog.offered`, :mod:`~server_core.catalog.revised_results` - what each revision is told of it
"""
