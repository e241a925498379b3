"""A server over HTTP, as the transport of a client, that answers each request as scripted."""

from collections.abc import Callable

import httpx

Script = Callable[[httpx.Request], httpx.Response | Exception]


class ScriptedTransport(httpx.AsyncBaseTransport):
    """Stores the requests, and returns or raises what the script returns."""

    def __init__(self, script: Script) -> None:
        self.requests: list[httpx.Request] = []
        self._script = script

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        answer = self._script(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def of(self, method: str) -> list[httpx.Request]:
        return [item for item in self.requests if item.method == method]
