"""What a tool is about and what effects it has, for orchestrators that choose among many tools.

Constructors validate nothing: an exception there would keep the other tools of the file from being loaded. Mistakes
are reported with the other problems of the tool.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


class ServiceDomain(StrEnum):
    """The kind of service that a tool works with."""

    PROJECT_MANAGEMENT = "project_management"
    CRM = "crm"
    CONTACTS = "contacts"
    EMAIL = "email"
    CALENDAR = "calendar"
    MESSAGING = "messaging"
    DOCUMENTS = "documents"
    CLOUD_STORAGE = "cloud_storage"
    SPREADSHEETS = "spreadsheets"
    PRESENTATIONS = "presentations"
    DESIGN = "design"
    SOURCE_CODE = "source_code"
    PAYMENTS = "payments"
    SOCIAL_MEDIA = "social_media"
    VIDEO_HOSTING = "video_hosting"
    MUSIC_STREAMING = "music_streaming"
    CUSTOMER_SUPPORT = "customer_support"
    ECOMMERCE = "ecommerce"
    INCIDENT_MANAGEMENT = "incident_management"
    WEB_SCRAPING = "web_scraping"
    CODE_SANDBOX = "code_sandbox"
    VIDEO_CONFERENCING = "video_conferencing"
    GEOSPATIAL = "geospatial"
    FINANCIAL_DATA = "financial_data"
    TRAVEL = "travel"
    PRODUCT_ANALYTICS = "product_analytics"
    OBSERVABILITY = "observability"
    SALES_INTELLIGENCE = "sales_intelligence"
    SURVEY = "survey"
    BUSINESS_INTELLIGENCE = "business_intelligence"


class Operation(StrEnum):
    """What a tool does to the data of its service; `OPAQUE` where that depends on the arguments."""

    READ = "read"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"
    OPAQUE = "opaque"


class ToolMetadataKey(StrEnum):
    """The facts about a caller that have a defined meaning; a tool may ask for others too."""

    CLIENT_ID = "client_id"
    COORDINATOR_URL = "coordinator_url"

    @property
    def requires_auth(self) -> bool:
        """Whether only a tool with `requires_auth` can receive it."""
        return self is ToolMetadataKey.CLIENT_ID


@dataclass(frozen=True, kw_only=True)
class Classification:
    """What a tool is about.

    Attributes:
        service_domains: the kinds of service that it works with.
    """

    service_domains: Sequence[ServiceDomain | str] | None = None

    def to_json(self) -> Json:
        """Return the members as orchestrators read them."""
        return _given(service_domains=_words(self.service_domains))


@dataclass(frozen=True, kw_only=True)
class Behavior:
    """What effects a tool has; None where that is not declared.

    Attributes:
        operations: what it does to the data of its service.
        read_only: it changes nothing.
        destructive: its changes may be irreversible.
        idempotent: a second call with the same arguments has no further effect.
        open_world: it reaches systems outside of this server.
    """

    operations: Sequence[Operation | str] | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None

    def to_json(self) -> Json:
        """Return the members as orchestrators read them."""
        return _given(
            operations=_words(self.operations),
            read_only=self.read_only,
            destructive=self.destructive,
            idempotent=self.idempotent,
            open_world=self.open_world,
        )

    def hints(self) -> Json:
        """Return the annotations of MCP. Source: server/tools, ToolAnnotations."""
        return _given(
            readOnlyHint=self.read_only,
            destructiveHint=self.destructive,
            idempotentHint=self.idempotent,
            openWorldHint=self.open_world,
        )


@dataclass(frozen=True, kw_only=True)
class ToolMetadata:
    """What a tool is about and what effects it has.

    Attributes:
        classification: what it is about.
        behavior: what effects it has.
        extras: further JSON-safe facts for orchestrators.
        strict: contradictions are errors.
    """

    classification: Classification | None = None
    behavior: Behavior | None = None
    extras: Mapping[str, Any] | None = None
    strict: bool = True

    def to_json(self) -> Json:
        """Return the members as orchestrators read them."""
        return _given(
            classification=self.classification and self.classification.to_json(),
            behavior=self.behavior and self.behavior.to_json(),
            extras=None if self.extras is None else dict(self.extras),
        )


def _words(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else [str(value) for value in values]


def _given(**members: Any) -> Json:
    return {name: value for name, value in members.items() if value is not None}
