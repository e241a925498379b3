"""The OAuth clients while the mock service replaces all services: any client is accepted there."""

import asyncio

from server_core.auth.broker.registrations import Registration
from server_core.auth.mock.service import MockService
from server_core.auth.providers import PROVIDERS, Provider
from server_core.auth.requirement import AuthRequirement

CLIENT_ID = "mock-client"


class MockRegistrations:
    """Registrations with a mock service, which is started by the first request.

    Args:
        service: the mock service.
    """

    def __init__(self, service: MockService | None = None) -> None:
        self.service = service or MockService()
        self._lock = asyncio.Lock()

    async def find(self, requirement: AuthRequirement) -> Registration:
        async with self._lock:
            if not self.service.is_open:
                await self.service.start()
        account, url = requirement.account, self.service.url
        known = PROVIDERS.get(requirement.provider_id or account)
        name = f"{known.name if known else account} (mock)"
        provider = Provider(
            name,
            f"{url}/authorize",
            f"{url}/token",
            device_url=f"{url}/device_authorization",
            revoke_url=f"{url}/revoke",
            userinfo_url=f"{url}/userinfo",
            parameters={"service": name},
            any_port=True,
        )
        return Registration(account, provider, f"http://127.0.0.1:0/callback/{account}", CLIENT_ID)

    async def close(self) -> None:
        """Stop the mock service."""
        await self.service.close()
