"""Providers and models as administrators know them: rows, declared in `chatd.toml` or stored."""

from enum import StrEnum
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from chatd.catalog.models.options import CallOptions
from chatd.domain.part import Json

# Of a provider.
NAME = "[a-z0-9]+(?:-[a-z0-9]+)*"
NAME_LENGTH_MAX = 64
MODEL_LENGTH_MAX = 200
DISPLAY_LENGTH_MAX = 200
URL_LENGTH_MAX = 2000
KEY_BYTES_MAX = 10 * 1024
HEADERS_MAX = 32
SETTING_LENGTH_MAX = 200

# `rules/checks.py` sees to these bounds, with errors of its own: here they are told. A stored row is read
# whatever its bounds were.
DisplayName: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": DISPLAY_LENGTH_MAX})]
Address: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": URL_LENGTH_MAX})]
ShortText: TypeAlias = Annotated[str, Meta(extra_json_schema={"maxLength": SETTING_LENGTH_MAX})]

ProviderId: TypeAlias = str
ModelId: TypeAlias = str


class ProviderType(StrEnum):
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OPENAI_COMPATIBLE = "openai-compatible"
    AZURE = "azure"
    OPENROUTER = "openrouter"
    VERCEL = "vercel"
    GOOGLE = "google"
    BEDROCK = "bedrock"
    OLLAMA = "ollama"
    SCRIPTED = "scripted"


class ProviderSettings(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a provider is reached. Which of these count depends on its type."""

    headers: Annotated[dict[str, str], Meta(extra_json_schema={"maxProperties": HEADERS_MAX})] = {}
    proxy: Address | None = None
    ca_file: str | None = None
    # Addresses outside this machine and its private networks need TLS, unless this says otherwise.
    allow_plain_http: bool = False
    # Anthropic, and deployments of Azure: the version of the API.
    api_version: ShortText | None = None
    # The header that carries the key.
    key_header: ShortText | None = None
    # Its server, which is at an address of its own, asks for no key. In private networks none has to say so.
    no_key: bool = False
    # Bedrock.
    region: ShortText | None = None
    # Google: with a project, its models are called through Vertex.
    project: ShortText | None = None
    location: ShortText | None = None
    # Cloud credentials of the machine that the server runs on, instead of a key.
    ambient_credentials: bool = False
    # What the server behind the address does differently; see the reference of quirks.
    quirks: dict[str, Json] = {}
    silence_seconds: Annotated[float, Meta(gt=0)] | None = None


class Provider(Struct, frozen=True, kw_only=True):
    """A configured place to call models at. Its id never changes and never comes back."""

    id: ProviderId
    type: ProviderType
    # kebab-case, unique; the first half of the names of its models.
    name: str
    display_name: str = ""
    enabled: bool = True
    base_url: str | None = None
    settings: ProviderSettings = ProviderSettings()
    # Users may bring their own keys, which then win.
    user_keys_allowed: bool = False
    # Comes from `chatd.toml` or the environment, and can only be changed there.
    declared: bool = False


class Prices(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """In millionths of the currency for each million tokens; a price of zero is free of charge."""

    input: Annotated[int, Meta(ge=0)]
    output: Annotated[int, Meta(ge=0)]
    cache_read: Annotated[int, Meta(ge=0)] | None = None
    cache_write: Annotated[int, Meta(ge=0)] | None = None
    cache_write_1h: Annotated[int, Meta(ge=0)] | None = None


class ModelConfig(Struct, frozen=True, kw_only=True):
    """A model that chats may use."""

    id: ModelId
    provider_id: ProviderId
    model: str
    display_name: str = ""
    enabled: bool = True
    is_default: bool = False
    context_limit: Annotated[int, Meta(gt=0)]
    # At this share of the context a history is summarized; 100 turns that off.
    compression_threshold: Annotated[int, Meta(ge=0, le=100)] = 70
    options: CallOptions = CallOptions()
    prices: Prices | None = None
    declared: bool = False


class Unreadable(Struct, frozen=True, kw_only=True):
    """A stored provider or model that a newer program has written, or that is damaged.

    It is there by name alone: a caller that asks for it is told so, and it can be deleted.
    """

    id: str
    # The provider's, or the model's own.
    name: str
    # Of a model.
    provider_id: ProviderId = ""
    # For administrators.
    reason: str
