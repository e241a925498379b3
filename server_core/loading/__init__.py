"""Authors' code -> a catalog, and again when it changes.

* :mod:`~server_core.loading.discovery` - which files of a folder declare something, without importing them
* :mod:`~server_core.loading.modules` - importing those files, again and again
* :mod:`~server_core.loading.load_problems` - what kept a file from being imported
* :mod:`~server_core.loading.project`, :mod:`~server_core.loading.package_project`,
  :mod:`~server_core.loading.collection` - a folder, packages, apps
* :mod:`~server_core.loading.reload` - only what changed, as a new generation
"""
