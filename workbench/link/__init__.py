"""The terminal's side of the link: attach to a core, here or in another process.

* :mod:`~workbench.link.link` - the interface of every link, wherever its core runs
* :mod:`~workbench.link.local` - to a core in this process and event loop
* :mod:`~workbench.link.remote` - to a core in another process, over its socket
* :mod:`~workbench.link.cores` - list and find running cores
* :mod:`~workbench.link.supervision` - start a core as a child process, notice its end, and start it again
"""
