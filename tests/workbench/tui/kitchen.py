"""A server with every kind of field, result and question, for the tests of the tools and the requests."""

from copy import deepcopy
from typing import Any

from tests.workbench.tui.fakes import CATALOG, FakeLink, opener
from workbench.tui.app import WorkbenchApp

GREET = {
    "name": "greet",
    "description": "Greet a guest by name.",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Who to greet", "minLength": 2, "maxLength": 40},
            "style": {"enum": ["plain", "warm", "formal"], "default": "plain", "description": "How to greet"},
            "times": {"type": "integer", "minimum": 1, "maximum": 20, "default": 1, "description": "How often"},
            "loud": {"type": "boolean", "description": "In capitals"},
            "nickname": {"type": ["string", "null"], "description": "Used instead of the name"},
        },
        "required": ["name"],
    },
    "secrets": [],
}

BOOK = {
    "name": "book_table",
    "title": "Book a table",
    "description": "Book a table for up to eight guests.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "contact": {
                "type": "object",
                "description": "Whom to notify when something changes",
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "email": {"type": "string", "format": "email", "description": "Such as ada@example.org"},
                },
                "required": ["name", "email"],
            },
            "day": {"type": "string", "format": "date", "description": "The day of the visit"},
            "guests": {
                "type": "array",
                "items": {"$ref": "#/$defs/Guest"},
                "minItems": 1,
                "maxItems": 8,
                "description": "Everyone at the table",
            },
            "hour": {"type": "integer", "minimum": 11, "maximum": 22, "default": 19, "description": "Full hour"},
            "seating": {
                "enum": ["inside", "terrace", "window", "bar", "garden", "private room"],
                "description": "Where to sit",
            },
            "extras": {
                "type": "array",
                "items": {"enum": ["flowers", "cake", "music"]},
                "description": "What to prepare",
            },
            "notes": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Anything else"},
            "payment": {
                "oneOf": [
                    {
                        "title": "card",
                        "type": "object",
                        "properties": {"number": {"type": "string", "pattern": "^[0-9]{16}$"}},
                        "required": ["number"],
                    },
                    {
                        "title": "voucher",
                        "type": "object",
                        "properties": {"code": {"type": "string"}, "amount": {"type": "number"}},
                        "required": ["code"],
                    },
                ],
                "description": "How to pay",
            },
            "custom": {"description": "Whatever the kitchen understands"},
        },
        "required": ["contact", "day", "guests"],
        "$defs": {
            "Guest": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "minLength": 1, "maxLength": 60},
                    "diet": {"type": ["string", "null"], "description": "What they do not eat"},
                },
                "required": ["name"],
            }
        },
    },
    "secrets": [],
}

PING = {"name": "ping", "inputSchema": {"type": "object", "properties": {}}, "secrets": []}

ORDER = {
    "name": "order_beans",
    "description": "Order coffee beans; the order is signed.",
    "inputSchema": {"type": "object", "properties": {"kilos": {"type": "integer"}}, "required": ["kilos"]},
    "secrets": ["SUPPLIER_KEY"],
}

HOSTILE = {
    "name": "[bold]evil[/bold]\x1b[31m",
    "description": "Looks [red]harmless[/red].\x1b[2J",
    "inputSchema": {"type": "object", "properties": {"[b]x[/b]\x07": {"type": "string", "description": "[i]\x1b[0m"}}},
}

MANY = {
    "name": "thirty",
    "description": "A form of thirty fields.",
    "inputSchema": {
        "type": "object",
        "properties": {
            f"field_{number}": {"type": "string", "description": f"The text number {number}", "maxLength": 80}
            for number in range(30)
        },
    },
}

KITCHEN: dict[str, Any] = CATALOG | {
    "tools": [GREET, BOOK, PING, ORDER, HOSTILE, MANY],
    "resources": [
        {"uri": "demo://menu", "name": "menu", "description": "What there is today.", "mimeType": "text/markdown"}
    ],
    "templates": [{"uriTemplate": "demo://dishes/{dish}", "name": "dish", "description": "One dish of the menu."}],
    "prompts": [
        {
            "name": "invitation",
            "description": "Write an invitation.",
            "arguments": [
                {"name": "guest", "description": "Who is invited", "required": True},
                {"name": "occasion", "description": "What is celebrated"},
            ],
        }
    ],
}

SERVER: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "completions": {}},
    "serverInfo": {"name": "kitchen", "title": "Kitchen", "version": "1.2.0"},
}


def kitchen_link() -> FakeLink:
    """Return a link to a server whose answers are scripted; calls of tools wait until a test answers them."""
    link = FakeLink()
    link.answers["catalog/get"] = deepcopy(KITCHEN)
    link.server.replies["initialize"] = SERVER
    return link


def kitchen_app(link: FakeLink, place: str = "tools") -> WorkbenchApp:
    """Return the whole terminal over a link, with this pane in front."""
    return WorkbenchApp(opener(link), place=place)


def text_result(text: str, **more: Any) -> dict[str, Any]:
    """Return a tools/call result with a text."""
    return {"content": [{"type": "text", "text": text}], **more}


DESSERT: dict[str, Any] = {
    "mode": "form",
    "message": "Which dessert may we bring?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "dessert": {"type": "string", "enum": ["sorbet", "cheesecake", "fruit"], "description": "What it shall be"},
            "spoons": {"type": "integer", "minimum": 1, "maximum": 8, "default": 1, "description": "How many spoons"},
            "email": {"type": "string", "format": "email", "title": "Your email"},
            "gift": {"type": "boolean", "default": False},
        },
        "required": ["dessert"],
    },
}

ADDRESS: dict[str, Any] = {
    "mode": "url",
    "message": "Please confirm the payment.",
    "url": "https://pay.example.com/confirm?order=7f3a&amount=12.40&currency=EUR",
    "elicitationId": "e1",
}

SAMPLING: dict[str, Any] = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "Name a dish of leek and potato."}}],
    "systemPrompt": "You write the menu of a small café.",
    "maxTokens": 30,
    "modelPreferences": {"hints": [{"name": "claude-sonnet"}], "speedPriority": 0.8},
    "temperature": 0.7,
}


def ask(link: FakeLink, request_id: int | str, method: str, params: dict[str, Any]) -> None:
    """Send a request from the server to the client."""
    link.server.write({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
