"""What a server offers: tools, resources and prompts, as immutable definitions, and their form in each revision.

* :mod:`~server_core.catalog.decorator_options`, :mod:`~server_core.catalog.declarations` - the options of decorators,
  and the records of what they declare
* :mod:`~server_core.catalog.building` - turns a declaration into a definition
* :mod:`~server_core.catalog.definitions`, :mod:`~server_core.catalog.catalog` - the immutable result
* :mod:`~server_core.catalog.catalog_entry` - definitions for each revision
"""
