"""Secrets in bytes -> the names of the secrets: applied once, where records are made.

* :mod:`~server_core.records.masking.masker` - which values are masked, and for how long
* :mod:`~server_core.records.masking.known` - those values, looked for together; how free text is masked
* :mod:`~server_core.records.masking.json_text` - how JSON is masked, so that it stays JSON
* :mod:`~server_core.records.masking.regions` - which values of a message are the protocol's own
* :mod:`~server_core.records.masking.secret` - one value: how much of it is masked, and where
* :mod:`~server_core.records.masking.forms` - the forms in which a value travels, as patterns
* :mod:`~server_core.records.masking.readings` - a text without the escapes of its characters, layer by layer
"""

from server_core.records.masking.masker import Masker as Masker
