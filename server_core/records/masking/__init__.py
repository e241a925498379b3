"""Replacing secrets in bytes with their names: applied once, where records are created.

* :mod:`~server_core.records.masking.masker` - which values are masked, and for how long
* :mod:`~server_core.records.masking.url_passwords` - the passwords in URLs, such as that of a database
* :mod:`~server_core.records.masking.secret_search` - searches for all values together; masks free text
* :mod:`~server_core.records.masking.json_text` - masks JSON, so that it stays JSON
* :mod:`~server_core.records.masking.regions` - which values of a message belong to the protocol
* :mod:`~server_core.records.masking.masked_secret` - one value: how much of it is masked, and where
* :mod:`~server_core.records.masking.secret_forms` - the encoded forms of a value, as patterns
* :mod:`~server_core.records.masking.readings` - a text without escapes, layer by layer
"""

from server_core.records.masking.masker import Masker as Masker
