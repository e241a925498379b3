"""Exceptions of libraries that are not installed: classes with the names and the base classes of the real classes.

Recorded from requests 2.34, urllib3 2.8, aiohttp 3.14, gql 4.4, slack_sdk 3.47, google-api-python-client 2.202,
google-auth 2.62, google-api-core 2.44, httplib2 0.32, microsoft-kiota-abstractions and microsoft-kiota-http 1.16. The
first name of a line is the class; a base class without a line is a class of Python.
"""

import builtins
import json
import ssl
from functools import cache
from typing import Any

_FAMILIES = {
    "requests.exceptions": """
        RequestException: OSError
        HTTPError: RequestException
        ConnectionError: RequestException
        ProxyError: ConnectionError
        SSLError: ConnectionError
        Timeout: RequestException
        ConnectTimeout: ConnectionError, Timeout
        ReadTimeout: Timeout
        URLRequired: RequestException
        TooManyRedirects: RequestException
        MissingSchema: RequestException, ValueError
        InvalidSchema: RequestException, ValueError
        InvalidURL: RequestException, ValueError
        InvalidHeader: RequestException, ValueError
        InvalidProxyURL: InvalidURL
        ChunkedEncodingError: RequestException
        ContentDecodingError: RequestException
        StreamConsumedError: RequestException, TypeError
        RetryError: RequestException
        InvalidJSONError: RequestException
        JSONDecodeError: InvalidJSONError, json.JSONDecodeError
    """,
    "aiohttp.client_exceptions": """
        ClientError: Exception
        ClientResponseError: ClientError
        ContentTypeError: ClientResponseError
        WSServerHandshakeError: ClientResponseError
        ClientHttpProxyError: ClientResponseError
        TooManyRedirects: ClientResponseError
        ClientConnectionError: ClientError
        ClientConnectionResetError: ClientConnectionError, ConnectionResetError
        ClientOSError: ClientConnectionError, OSError
        ClientConnectorError: ClientOSError
        ClientConnectorDNSError: ClientConnectorError
        ClientProxyConnectionError: ClientConnectorError
        ClientSSLError: ClientConnectorError
        ClientConnectorSSLError: ClientSSLError, ssl.SSLError
        ClientConnectorCertificateError: ClientSSLError, ssl.SSLCertVerificationError
        ServerConnectionError: ClientConnectionError
        ServerDisconnectedError: ServerConnectionError
        ServerTimeoutError: ServerConnectionError, TimeoutError
        ConnectionTimeoutError: ServerTimeoutError
        SocketTimeoutError: ServerTimeoutError
        ServerFingerprintMismatch: ServerConnectionError
        ClientPayloadError: ClientError
        InvalidURL: ClientError, ValueError
        InvalidUrlClientError: InvalidURL
        NonHttpUrlClientError: ClientError
    """,
    "gql.transport.exceptions": """
        TransportError: Exception
        TransportProtocolError: TransportError
        TransportServerError: TransportError
        TransportQueryError: TransportError
        TransportClosed: TransportError
        TransportConnectionFailed: TransportError
        TransportAlreadyConnected: TransportError
    """,
    "graphql.error.graphql_error": "GraphQLError: Exception",
    "slack_sdk.errors": """
        SlackClientError: Exception
        BotUserAccessError: SlackClientError
        SlackRequestError: SlackClientError
        SlackApiError: SlackClientError
        SlackTokenRotationError: SlackClientError
        SlackClientNotConnectedError: SlackClientError
        SlackObjectFormationError: SlackClientError
        SlackClientConfigurationError: SlackClientError
    """,
    "googleapiclient.errors": """
        Error: Exception
        HttpError: Error
        BatchError: HttpError
        ResumableUploadError: HttpError
        InvalidJsonError: Error
        UnknownApiNameOrVersion: Error
        UnacceptableMimeTypeError: Error
        MediaUploadSizeError: Error
        InvalidChunkSizeError: Error
        InvalidNotificationError: Error
        UnknownFileType: Error
    """,
    "google.auth.exceptions": """
        GoogleAuthError: Exception
        TransportError: GoogleAuthError
        TimeoutError: GoogleAuthError
        RefreshError: GoogleAuthError
    """,
    "google.api_core.exceptions": """
        GoogleAPIError: Exception
        RetryError: GoogleAPIError
        GoogleAPICallError: GoogleAPIError
        ClientError: GoogleAPICallError
        NotFound: ClientError
    """,
    "httplib2.error": """
        HttpLib2Error: Exception
        HttpLib2ErrorWithResponse: HttpLib2Error
        RedirectLimit: HttpLib2ErrorWithResponse
        ServerNotFoundError: HttpLib2Error
    """,
    "urllib3.exceptions": """
        HTTPError: Exception
        PoolError: HTTPError
        RequestError: PoolError
        MaxRetryError: RequestError
        SSLError: HTTPError
        TimeoutError: HTTPError
        ConnectTimeoutError: TimeoutError
        ReadTimeoutError: TimeoutError, RequestError
        NewConnectionError: ConnectTimeoutError, HTTPError
        NameResolutionError: NewConnectionError
        ProtocolError: HTTPError
        DecodeError: HTTPError
        LocationValueError: ValueError, HTTPError
        LocationParseError: LocationValueError
        URLSchemeUnknown: LocationValueError
    """,
    "kiota_abstractions.api_error": "APIError: Exception",
    "kiota_http._exceptions": """
        KiotaHTTPXError: Exception
        RedirectError: KiotaHTTPXError
        ResponseError: KiotaHTTPXError
    """,
    "msgraph.generated.models.o_data_errors.o_data_error": "ODataError: kiota_abstractions.api_error.APIError",
}


def of(module: str, name: str, text: str = "", **members: Any) -> BaseException:
    """Return an exception as a library raises it; `text` is what `str()` returns, `members` are its attributes."""
    kind = _class(module, name)
    error = kind.__new__(kind)
    error.args = (text,) if text else ()
    for member, value in members.items():
        setattr(error, member, value)
    return error


def names(module: str) -> list[str]:
    """Return the names of the classes of a module."""
    return list(_parents(module))


@cache
def _class(module: str, name: str) -> type[BaseException]:
    bases = tuple(_base(module, parent) for parent in _parents(module)[name])
    return type(name, bases, {"__module__": module, "__str__": lambda self: " ".join(map(str, self.args))})


def _base(module: str, name: str) -> type[BaseException]:
    if name in _parents(module):
        return _class(module, name)
    other_module, _, last = name.rpartition(".")
    if other_module in _FAMILIES:
        return _class(other_module, last)
    base: type[BaseException] = getattr({"": builtins, "json": json, "ssl": ssl}[other_module], last)
    return base


@cache
def _parents(module: str) -> dict[str, list[str]]:
    lines = (line.partition(":") for line in _FAMILIES[module].strip().splitlines())
    return {name.strip(): [base.strip() for base in bases.split(",")] for name, _, bases in lines}
