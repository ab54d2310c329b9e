"""Providers, models and settings."""

from typing import Any

from msgspec import Struct


class Provider(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A place to call models at. The last three fields are for administrators."""

    id: str
    type: str
    name: str
    display_name: str = ""
    enabled: bool = True
    user_keys_allowed: bool = False
    declared: bool = False
    has_api_key: bool = False
    base_url: str | None = None
    settings: dict[str, Any] = {}
    api_key: str | None = None


class Unreadable(Struct, frozen=True, kw_only=True):
    """A provider, a model or an MCP server that the server cannot read. It can be deleted."""

    id: str
    name: str
    reason: str = ""


class ProviderList(Struct, frozen=True, kw_only=True):
    providers: tuple[Provider, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Model(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`name` is what `create_chat` and `send` take as `model`."""

    id: str
    name: str
    provider_id: str = ""
    provider: str = ""
    provider_type: str = ""
    model: str = ""
    display_name: str = ""
    enabled: bool = True
    is_default: bool = False
    context_limit: int = 0
    compression_threshold: int = 70
    reasoning_efforts: tuple[str, ...] = ()
    # Whether its provider searches the web for its replies.
    web_search: bool = False
    prices: dict[str, int] | None = None
    declared: bool = False
    available: bool = True
    unavailable_reason: str | None = None
    options: dict[str, Any] = {}


class ModelList(Struct, frozen=True, kw_only=True):
    models: tuple[Model, ...]
    unreadable: tuple[Unreadable, ...] = ()


class Probe(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of trying a model out."""

    model: str
    is_well: bool
    says: str
    milliseconds: int = 0
    kind: str | None = None


class OwnKey(Struct, frozen=True, kw_only=True):
    provider_id: str
    provider: str
    user_keys_allowed: bool = False
    has_user_api_key: bool = False
    has_provider_api_key: bool = False


class OwnKeyList(Struct, frozen=True, kw_only=True):
    keys: tuple[OwnKey, ...]


class ChildModel(Struct, frozen=True, kw_only=True):
    """A model for chats that work for others."""

    model: str
    reasoning_effort: str | None = None


class Subagents(Struct, frozen=True, kw_only=True):
    """The models of chats that work for others, by type; None: that of the chat that they work for."""

    general: ChildModel | None = None
    explore: ChildModel | None = None
    # Whether chats can have others work for them at all.
    enabled: bool = True
    # Whether users may choose for their own chats.
    own_allowed: bool = False


class OwnSubagents(Struct, frozen=True, kw_only=True):
    """A model, or `chat` or `deployment`, which are followed."""

    general: ChildModel | str = "deployment"
    explore: ChildModel | str = "deployment"


class Settings(Struct, frozen=True, kw_only=True):
    system_prompt: str = ""
    # What stands before it; None: `default_base_prompt`, empty: nothing.
    base_prompt: str | None = None
    default_base_prompt: str = ""
    # What chats in plan mode are told, after the server's own words on plans.
    plan_prompt: str = ""
    # Who sums up what has become too long; None: the model of each chat.
    compaction_model: str | None = None
    # Who writes titles, labels of turns and summaries of chats, and which of them are written.
    texts_model: str | None = None
    titles: bool = True
    turn_labels: bool = False
    chat_summaries: bool = True
    debug_records_allowed: bool = False
    debug_records_forced: bool = False
    subagents: Subagents = Subagents()


class Advisor(Struct, frozen=True, kw_only=True):
    """The second model that agents can ask how to go on. A limit of 0 is none, or the usual one."""

    enabled: bool = False
    max_uses_per_turn: int = 0
    max_output_tokens: int = 0
    # None: the model of the chat.
    model: str | None = None
    reasoning_effort: str | None = None
    for_children: bool = False


class OwnSettings(Struct, frozen=True, kw_only=True):
    prompt: str = ""
    # Of new chats. None: that of the deployment.
    model: str | None = None
    # In percent, by the name of the model.
    compaction_thresholds: dict[str, int] = {}
    debug_records: bool = False
    debug_records_allowed: bool = False
    debug_records_forced: bool = False
    subagents: OwnSubagents = OwnSubagents()
    subagents_allowed: bool = False
