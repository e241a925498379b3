"""A tool that calls other tools of its server: each of them with the secrets that it declares, and no others."""

import hashlib
from typing import Annotated

from server_core import Context, MCPApp

app = MCPApp("ToolChainer", version="1.0.0")

FORM = {"type": "object", "properties": {"confirmation": {"type": "boolean"}}}
HASHERS = {"PASSWORD": "ToolChainer_GetPasswordAsHashValue", "API_KEY": "ToolChainer_GetApiKeyAsHashValue"}


@app.tool
def hash_text(text: Annotated[str, "What to hash"]) -> str:
    """Hash a text."""
    return hashlib.sha256(text.encode()).hexdigest()


@app.tool(requires_secrets=["PASSWORD"])
async def get_password_as_hash_value(context: Context) -> str:
    """Hash the password, if the user agrees."""
    answer = await context.ui.elicit("Shall the hash of the password be returned?", schema=FORM)
    if answer.action != "accept":
        raise ValueError("The person does not agree.")
    return hash_text(context.get_secret("PASSWORD"))


@app.tool(requires_secrets=["API_KEY"])
async def get_api_key_as_hash_value(context: Context) -> str:
    """Hash the API key."""
    return hash_text(context.get_secret("API_KEY"))


@app.tool
async def get_secret_as_hash_value(context: Context, secret_name: Annotated[str, "PASSWORD or API_KEY"]) -> str:
    """Hash a secret, by the tool that may read it."""
    hasher = HASHERS.get(secret_name.upper())
    if hasher is None:
        return f"There is no tool for {secret_name!r}."
    result = await context.tools.call_raw(hasher, {})
    if result.isError:
        return f"It failed: {result.content[0].text}"
    return str(result.content[0].text)


if __name__ == "__main__":
    app.run()
