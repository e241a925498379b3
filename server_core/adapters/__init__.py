"""Convert exceptions of other libraries to the errors of this package, so that agents know whether to try again.

No library is imported here: the library of an exception that was raised is already imported.

* :mod:`~server_core.adapters.chain` - which adapters are tried, in which order
* :mod:`~server_core.adapters.http` - httpx, requests, aiohttp, urllib, timeouts of the standard library
* :mod:`~server_core.adapters.graphql`, :mod:`~server_core.adapters.google`, :mod:`~server_core.adapters.microsoft`,
  :mod:`~server_core.adapters.slack` - the libraries of services
* :mod:`~server_core.adapters.outcomes` - the errors that an exception can become
"""
