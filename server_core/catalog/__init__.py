"""What a server offers: tools, resources and prompts, as immutable definitions, and their form in each revision.

* :mod:`~server_core.catalog.decorator_arguments`, :mod:`~server_core.catalog.declarations` - the records of what
  decorators declare
* :mod:`~server_core.catalog.building` - turns a declaration into a definition
* :mod:`~server_core.catalog.definitions`, :mod:`~server_core.catalog.catalog` - the immutable result
* :mod:`~server_core.catalog.uri_templates`, :mod:`~server_core.catalog.resource_uris` - URIs of resources
* :mod:`~server_core.catalog.offered`, :mod:`~server_core.catalog.revised_results` - definitions and results for each
  revision
"""
