"""A server over HTTP whose clients need a token, and tools with a secret and an account behind that."""

import os
from typing import Annotated

from server_core import Context, MCPApp
from server_core.auth import Reddit
from server_core.resource_server import AuthorizationServerEntry, ResourceServerAuth, enforce_scopes

ISSUER = os.environ.get("EXAMPLE_ISSUER", "https://auth.example.com")
CANONICAL = os.environ.get("MCP_RESOURCE_SERVER_CANONICAL_URL", "http://127.0.0.1:8000/mcp")

auth = ResourceServerAuth(
    canonical_url=CANONICAL,
    authorization_servers=[
        AuthorizationServerEntry(
            authorization_server_url=ISSUER,
            issuer=ISSUER,
            jwks_uri=f"{ISSUER}/jwks",
            algorithm="Ed25519",
            expected_audiences=["urn:example:mcp", CANONICAL],
        )
    ],
    scopes_supported=["mcp", "offline_access"],
    default_challenge_scopes=["mcp", "offline_access"],
)
app = MCPApp(name="authorization", version="1.0.0", auth=auth)


@app.tool
def greet(name: Annotated[str, "Whom to greet"]) -> str:
    """Greet by name."""
    return f"Hello, {name}!"


@app.tool(requires_secrets=["MY_SECRET_KEY"])
def whisper_secret(context: Context) -> Annotated[str, "How the secret ends"]:
    """Return the last characters of a secret."""
    return f"It ends with {context.get_secret('MY_SECRET_KEY')[-4:]}"


@app.tool(requires_auth=Reddit(scopes=["read"]))
async def get_posts_in_subreddit(
    context: Context, subreddit: Annotated[str, "Its name, with or without r/"]
) -> Annotated[str, "Where the posts are read"]:
    """Return where the posts of a subreddit are read, with the account of the user."""
    assert context.get_auth_token_or_empty()
    return f"https://oauth.reddit.com/r/{subreddit.lower().removeprefix('r/')}/hot"


@app.tool
def forget_everything(context: Context) -> str:
    """Forget everything, for those who may."""
    enforce_scopes(context, ["mcp", "admin"])
    return f"{context.user_id} has made us forget."


if __name__ == "__main__":
    app.run(transport="http", host="127.0.0.1", port=8000)
