"""What a server offers: tools, resources and prompts, as immutable definitions, and what each revision is told of it.

* :mod:`~server_core.catalog.decorator_arguments`, :mod:`~server_core.catalog.declarations` - what is noted down of what
  authors write
* :mod:`~server_core.catalog.building` - a declaration -> the definition of what it declares
* :mod:`~server_core.catalog.definitions`, :mod:`~server_core.catalog.catalog` - the outcome, immutable
* :mod:`~server_core.catalog.uri_templates`, :mod:`~server_core.catalog.resource_uris` - of resources
* :mod:`~server_core.catalog.offered`, :mod:`~server_core.catalog.revised_results` - what each revision is told of it
"""
