"""Records the HTTP requests that tools make: method, URL, status, time and size, never headers or bodies.

While calls are observed, the methods that send a request in http.client (also for urllib, urllib3 and requests), httpx
and aiohttp are replaced with wrappers; afterwards the original methods are restored. A wrapper does nothing more than
the original, unless the code runs in the call of a tool, prompt or resource, in a task or thread with its context. A
library that is imported later is wrapped then.
"""

import functools
import http.client
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from time import perf_counter
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from server_core.adapters.redaction import HIDDEN, redact
from server_core.execution.context.context import Context, current_context
from server_core.runtime.safe_text import safe_str

MAX_URL = 2000
"""Characters of a URL that are recorded."""

Wrapper = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Exchange:
    """One request that the code of a call makes; it is recorded once, when it ends."""

    def __init__(self, context: Context, method: object, url: object) -> None:
        self._context: Context | None = context
        self._method = safe_str(method).upper()[:20]
        self._url = shown_url(safe_str(url))
        self._begin = perf_counter()

    def end(self, status: object, length: object) -> None:
        """Record that the response has begun; `length` is the size of its body, if the server declared it."""
        size = int(text) if (text := safe_str(length)).isdecimal() and len(text) < 20 else None
        self._record(ok=isinstance(status, int) and status < 400, status=status, bytes=size)

    def fail(self, error: BaseException) -> None:
        """Record that no response has arrived."""
        self._record(ok=False, error=type(error).__name__)

    def _record(self, **outcome: Any) -> None:
        if (context := self._context) is None:
            return
        self._context = None
        milliseconds = round((perf_counter() - self._begin) * 1000, 3)
        request = {"id": context.request_id, "method": self._method, "url": self._url}
        context.report("http_request_ended", {**request, "ms": milliseconds, **outcome})


def _observed_call() -> Context | None:
    # A wrapper that cannot be removed, since another library has wrapped it, records nothing.
    return current_context.get() if _finder in sys.meta_path else None


def shown_url(url: str) -> str:
    """Return a URL for records: without user, password and fragment, and with the values of its query hidden."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return redact(url)[:MAX_URL]
    host = parts.netloc.rpartition("@")[2]
    address = f"{parts.scheme}://{host}{parts.path}" if parts.scheme else parts.path
    parameters = [part.partition("=") for part in parts.query.split("&") if part]
    query = "&".join(f"{name}={HIDDEN}" if is_named else HIDDEN for name, is_named, _ in parameters)
    if len(parameters) == 1 and not parameters[0][2].strip("="):
        query = HIDDEN  # It may be a credential as a whole, also with the padding of base64.
    text = redact(address) + (f"?{query}" if query else "")
    return text if len(text) <= MAX_URL else f"{text[:MAX_URL]}…"


# The wrappers of each library.


def _of_httpx(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def handle_request(self: Any, request: Any) -> Any:
        if (context := _observed_call()) is None:
            return original(self, request)
        exchange = _Exchange(context, request.method, request.url)
        try:
            response = original(self, request)
        except BaseException as error:
            exchange.fail(error)
            raise
        exchange.end(response.status_code, response.headers.get("content-length"))
        return response

    return handle_request


def _of_async_httpx(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def handle_async_request(self: Any, request: Any) -> Any:
        if (context := _observed_call()) is None:
            return await original(self, request)
        exchange = _Exchange(context, request.method, request.url)
        try:
            response = await original(self, request)
        except BaseException as error:
            exchange.fail(error)
            raise
        exchange.end(response.status_code, response.headers.get("content-length"))
        return response

    return handle_async_request


def _of_aiohttp(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def _request(self: Any, method: Any, url: Any, **options: Any) -> Any:
        if (context := _observed_call()) is None:
            return await original(self, method, url, **options)
        exchange = _Exchange(context, method, url)
        try:
            response = await original(self, method, url, **options)
        except BaseException as error:
            exchange.fail(error)
            raise
        exchange.end(response.status, response.headers.get("Content-Length"))
        return response

    return _request


# Of connections of http.client, whose requests are sent and answered in separate steps.
_open: "WeakKeyDictionary[http.client.HTTPConnection, _Exchange]" = WeakKeyDictionary()


def _of_putrequest(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def putrequest(self: Any, method: Any, url: Any, *args: Any, **options: Any) -> Any:
        if (context := _observed_call()) is not None:
            _open[self] = _Exchange(context, method, _url_of(self, safe_str(url)))
        return original(self, method, url, *args, **options)

    return putrequest


def _of_endheaders(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def endheaders(self: Any, *args: Any, **options: Any) -> Any:
        try:
            return original(self, *args, **options)
        except BaseException as error:
            if (exchange := _open.pop(self, None)) is not None:
                exchange.fail(error)
            raise

    return endheaders


def _of_getresponse(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def getresponse(self: Any, *args: Any, **options: Any) -> Any:
        exchange = _open.pop(self, None)
        try:
            response = original(self, *args, **options)
        except BaseException as error:
            if exchange is not None:
                exchange.fail(error)
            raise
        if exchange is not None:
            exchange.end(response.status, response.length)
        return response

    return getresponse


def _url_of(connection: http.client.HTTPConnection, target: str) -> str:
    if "://" in target:  # Through a proxy.
        return target
    scheme = "https" if isinstance(connection, http.client.HTTPSConnection) else "http"
    tunnel = getattr(connection, "_tunnel_host", None)
    host, port = (tunnel, getattr(connection, "_tunnel_port", None)) if tunnel else (connection.host, connection.port)
    host = f"[{host}]" if ":" in host else host
    is_usual = port in (None, 443 if scheme == "https" else 80)
    return f"{scheme}://{host}{'' if is_usual else f':{port}'}{target}"


# Which methods are wrapped, and when.

_HTTPX: dict[str, Wrapper] = {
    "HTTPTransport.handle_request": _of_httpx,
    "AsyncHTTPTransport.handle_async_request": _of_async_httpx,
}
_LIBRARIES: dict[str, dict[str, Wrapper]] = {
    "http.client": {
        "HTTPConnection.putrequest": _of_putrequest,
        "HTTPConnection.endheaders": _of_endheaders,
        "HTTPConnection.getresponse": _of_getresponse,
    },
    "httpx": _HTTPX,
    "httpx2": _HTTPX,
    "aiohttp": {"ClientSession._request": _of_aiohttp},
}


class _Wrapped(NamedTuple):
    owner: type
    name: str
    original: Callable[..., Any]
    wrapper: Callable[..., Any]


_wrapped: list[_Wrapped] = []


def install() -> None:
    """Wrap the libraries, now or when they are imported."""
    for name in _LIBRARIES:
        if (module := sys.modules.get(name)) is not None:
            _wrap(module)
    sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Restore the original methods."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    while _wrapped:
        owner, name, original, wrapper = _wrapped.pop()
        # Someone else may have wrapped it since; then ours is passed through.
        if owner.__dict__.get(name) is wrapper:
            setattr(owner, name, original)


def _wrap(module: ModuleType) -> None:
    for path, wrap in _LIBRARIES[module.__name__].items():
        class_name, _, name = path.partition(".")
        owner = getattr(module, class_name, None)
        original = getattr(owner, "__dict__", {}).get(name)
        if isinstance(owner, type) and callable(original):
            wrapper = wrap(original)
            setattr(owner, name, wrapper)
            _wrapped.append(_Wrapped(owner, name, original, wrapper))


class _WrappingLoader(Loader):
    """Executes a library with its own loader, which may be shared with other modules, and wraps the library then."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The library may read its own files with its loader.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        if _finder in sys.meta_path:
            _wrap(module)


class _Finder(MetaPathFinder):
    """Finds the libraries as the other finders do, with a loader that wraps them."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _LIBRARIES:
            return None
        others = (finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec"))
        spec = next((spec for finder in others if (spec := finder.find_spec(name, path, target)) is not None), None)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _WrappingLoader(spec.loader)
        return spec


_finder = _Finder()
