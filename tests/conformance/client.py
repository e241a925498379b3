"""The command that the conformance suite starts to test our client: `python tests/conformance/client.py URL`.

The suite sets in the environment which scenario it plays, at which revision, and what else the client has to know. What
each scenario wants done is a table, :data:`SCENARIOS`; all that it is done with is `workbench.client`.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from server_core.errors import WorkbenchError
from server_core.oauth.client import OAuthAuthorization
from server_core.oauth.grants import (
    AuthorizationCode,
    ClientCredentials,
    EnterpriseManaged,
    Grant,
    WorkloadIdentity,
)
from server_core.oauth.registration import ClientRegistration
from server_core.protocol.revisions import LATEST, REVISIONS
from server_core.transports.http_client.http_client import HttpChannel
from tests.server_core.oauth.redirects import Redirects
from workbench.cli.call_answers import CommandAnswers
from workbench.client.questions import PendingQuestions
from workbench.client.session import ClientSession

Json: TypeAlias = dict[str, Any]
Steps: TypeAlias = Callable[[ClientSession, Json], Awaitable[None]]


async def list_everything(session: ClientSession, context: Json) -> None:
    """List what the server offers, and nothing else."""
    await session.list_tools()
    await session.list_resources()
    await session.list_prompts()


async def call_every_tool(session: ClientSession, context: Json) -> None:
    """Call every tool that is offered, with the plainest arguments."""
    for tool in await session.list_tools():
        await session.call_tool(tool["name"], plain_arguments(tool)).result()


async def use_everything(session: ClientSession, context: Json) -> None:
    """Call a tool, read a resource and get a prompt, each the first that is offered."""
    await call_every_tool(session, context)
    for resource in (await session.list_resources())[:1]:
        await session.read_resource(resource["uri"])
    for prompt in (await session.list_prompts())[:1]:
        await session.get_prompt(prompt["name"])


async def call_as_specified(session: ClientSession, context: Json) -> None:
    """Make exactly the calls that the suite asks for."""
    await session.list_tools()
    for call in context["toolCalls"]:
        await session.call_tool(call["name"], call["arguments"]).result()


async def call_at_once(session: ClientSession, context: Json) -> None:
    """Call all tools at the same time, so that questions of some are open while others are called."""
    tools = await session.list_tools()
    await asyncio.gather(*(session.call_tool(tool["name"], plain_arguments(tool)).result() for tool in tools))


async def echo_schema(session: ClientSession, context: Json) -> None:
    """Send a schema back as it was listed."""
    schemas = {tool["name"]: tool["inputSchema"] for tool in await session.list_tools()}
    await session.call_tool("json_schema_echo", {"schema": schemas["json_schema_2020_12_tool"]}).result()


SCENARIOS: dict[str, Steps] = {
    "request-metadata": list_everything,
    "sep-2322-client-request-state": call_at_once,
    "http-standard-headers": use_everything,
    "http-custom-headers": call_as_specified,
    "json-schema-ref-no-deref": list_everything,
    "json-schema-2020-12-preservation": echo_schema,
}
"""What a scenario wants done; in all others, every tool is called."""


METADATA_DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""Where the suite supposes that a client describes itself."""


def by_person(context: Json) -> Grant:
    """Return the grant of a user who agrees to everything; the suite acts for them."""
    return AuthorizationCode(Redirects())


def by_identity_provider(context: Json) -> Grant:
    """Return the grant of a user who is logged in at an organisation."""
    return EnterpriseManaged(context["idp_token_endpoint"], context["idp_client_id"], context["idp_id_token"])


GRANTS: dict[str, Callable[[Json], Grant]] = {
    "auth/client-credentials-basic": lambda context: ClientCredentials(),
    "auth/client-credentials-jwt": lambda context: ClientCredentials(),
    "auth/cross-app-access-complete-flow": by_identity_provider,
    "auth/enterprise-managed-authorization": by_identity_provider,
    "auth/wif-jwt-bearer": lambda context: WorkloadIdentity(context["valid_jwt"]),
}
"""The way to a token in each scenario about authorization; in all others, a user agrees."""


def authorization(url: str, scenario: str, context: Json) -> OAuthAuthorization:
    """Return who authorizes the requests of a scenario, with the facts that the suite gives beforehand."""
    grant = GRANTS.get(scenario, by_person)
    registration = ClientRegistration(
        client_id=context.get("client_id", ""),
        client_secret=context.get("client_secret", ""),
        private_key=context.get("private_key_pem", ""),
        algorithm=context.get("signing_algorithm", "ES256"),
        metadata_document=METADATA_DOCUMENT,
    )
    return OAuthAuthorization(url, registration=registration, grant=grant(context))


def plain_arguments(tool: Json) -> Json:
    """Return arguments that fit the tool: one for each that it requires."""
    schema = tool.get("inputSchema", {})
    plain: Json = {"number": 2.5, "integer": 2, "boolean": True, "array": [], "object": {}}
    return {name: plain.get(schema["properties"][name].get("type"), "text") for name in schema.get("required", ())}


async def play(url: str, scenario: str, revision: str, context: Json) -> None:
    """Open a session with the server and execute the scenario's steps.

    Args:
        url: where the suite listens.
        scenario: its name.
        revision: the revision that is spoken; empty for the latest with a handshake.
        context: what else the client has to know.
    """
    channel = HttpChannel(url, authorization=authorization(url, scenario, context))
    questions = PendingQuestions([CommandAnswers([], accept=True, sample="Paris")])
    session = await ClientSession.open(
        channel, questions=questions, revision=REVISIONS[revision] if revision else LATEST
    )
    try:
        await SCENARIOS.get(scenario, call_every_tool)(session, context)
    finally:
        await session.close()


def main(url: str) -> None:
    """Play the scenario that the environment names.

    Raises:
        SystemExit: when the server is not to be trusted, or refuses; in some scenarios that is as it should be.
    """
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    revision = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "")
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    try:
        asyncio.run(play(url, scenario, revision, context))
    except WorkbenchError as error:
        sys.exit(f"{scenario}: {error}")


if __name__ == "__main__":
    main(sys.argv[1])
