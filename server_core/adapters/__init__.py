"""Exceptions of other libraries -> the errors of this package, which tell agents whether to try again.

No library is imported here: an exception that was raised comes from one that is imported already.

* :mod:`~server_core.adapters.chain` - which adapters are asked, in which order
* :mod:`~server_core.adapters.http` - httpx, requests, aiohttp, urllib, timeouts of the standard library
* :mod:`~server_core.adapters.graphql`, :mod:`~server_core.adapters.google`, :mod:`~server_core.adapters.microsoft`,
  :mod:`~server_core.adapters.slack` - the libraries of services
* :mod:`~server_core.adapters.outcomes` - what may become of an exception
"""
