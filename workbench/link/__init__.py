"""The terminal's side of the link: attach to a core, here or in another process.

* :mod:`~workbench.link.link` - the interface of every link, and its buffer of records
* :mod:`~workbench.link.local` - to a core in this process and event loop
* :mod:`~workbench.link.remote` - to a core in another process, over its socket
* :mod:`~workbench.link.cores` - list and find running cores
* :mod:`~workbench.link.core_match` - decide whether to join a running core or to start another
* :mod:`~workbench.link.core_stop` - stop a core of any process
* :mod:`~workbench.link.supervision` - start a core as a child process, notice its end, and start it again
"""
