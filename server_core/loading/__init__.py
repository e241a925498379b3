"""Load authors' code into a catalog, and reload it when it changes.

* :mod:`~server_core.loading.file_discovery` - finds the files of a folder that declare something, without importing
  them
* :mod:`~server_core.loading.modules` - imports and reimports those files
* :mod:`~server_core.loading.load_problems` - reports why a file could not be imported
* :mod:`~server_core.loading.file_source`, :mod:`~server_core.loading.package_source`,
  :mod:`~server_core.loading.project_source` - where tools come from: a folder or file, packages, an app object
* :mod:`~server_core.loading.packages`, :mod:`~server_core.loading.package_search` - packages of tools, and
  the search for those that are installed
* :mod:`~server_core.loading.project`, :mod:`~server_core.loading.collection` - load a source
* :mod:`~server_core.loading.reload` - reloads only what changed, as a new generation
"""
