"""The shapes of providers, models, keys and settings on the wire. No key ever leaves the server in one."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies.fields import Name, Prompt
from chatd.catalog.documents import Followed, OwnSubagents, Subagents
from chatd.catalog.models.availability import Reason
from chatd.catalog.models.options import CallOptions
from chatd.catalog.models.rows import (
    KEY_BYTES_MAX,
    MODEL_LENGTH_MAX,
    NAME,
    NAME_LENGTH_MAX,
    Address,
    DisplayName,
    Prices,
    ProviderSettings,
    ProviderType,
)
from chatd.domain.message import Effort

Threshold: TypeAlias = Annotated[
    int, Meta(ge=0, le=100, description="At this share of the context, in percent, a history is summarized.")
]
ContextLimit: TypeAlias = Annotated[int, Meta(gt=0, le=2**53, description="In tokens.")]
Key: TypeAlias = Annotated[
    str,
    Meta(
        description="Up to 10 KiB. Never shown again.",
        extra_json_schema={"minLength": 1, "maxLength": KEY_BYTES_MAX},
    ),
]


class _Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class CreateProvider(_Request, frozen=True, kw_only=True):
    type: ProviderType
    name: Annotated[
        str,
        Meta(
            description="Lower-case words joined by hyphens. It cannot be changed.",
            extra_json_schema={"minLength": 1, "maxLength": NAME_LENGTH_MAX, "pattern": f"^{NAME}$"},
        ),
    ]
    display_name: DisplayName = ""
    enabled: bool = True
    base_url: Address | None = None
    settings: ProviderSettings = ProviderSettings()
    user_keys_allowed: Annotated[bool, Meta(description="Users may bring their own keys.")] = False
    api_key: Key | None = None


class PatchProvider(_Request, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    display_name: DisplayName | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    base_url: Address | UnsetType | None = UNSET
    settings: ProviderSettings | UnsetType = UNSET
    user_keys_allowed: bool | UnsetType = UNSET
    api_key: Annotated[Key | UnsetType | None, Meta(description="null removes it.")] = UNSET


class ProviderView(Struct, frozen=True, kw_only=True):
    id: str
    type: ProviderType
    name: str
    display_name: str
    enabled: bool
    user_keys_allowed: bool
    declared: Annotated[bool, Meta(description="Outside of the database; it can only be changed there.")]
    has_api_key: bool
    # For administrators.
    base_url: str | UnsetType | None = UNSET
    settings: ProviderSettings | UnsetType = UNSET
    api_key: Annotated[str | UnsetType | None, Meta(description="Its last characters at most.")] = UNSET


class UnreadableView(Struct, frozen=True, kw_only=True):
    """Something stored that this version cannot read. It can be deleted."""

    id: str
    name: str
    reason: str


class ProviderList(Struct, frozen=True, kw_only=True):
    providers: tuple[ProviderView, ...]
    # For administrators, if there are any.
    unreadable: tuple[UnreadableView, ...] | UnsetType = UNSET


class KnownModel(Struct, frozen=True, kw_only=True):
    model: Annotated[str, Meta(description="As the provider calls it.")]
    context_limit: Annotated[int, Meta(description="In tokens.")]
    prices: Annotated[Prices, Meta(description="In millionths of the currency for a million tokens, today.")]


class KnownModelList(Struct, frozen=True, kw_only=True):
    models: Annotated[tuple[KnownModel, ...], Meta(description="By name. Others can be added, too.")]


class CreateModel(_Request, frozen=True, kw_only=True):
    provider_id: str
    model: Annotated[
        str,
        Meta(
            description="As the provider calls it.",
            extra_json_schema={"minLength": 1, "maxLength": MODEL_LENGTH_MAX},
        ),
    ]
    context_limit: Annotated[
        ContextLimit | None, Meta(description="In tokens. Left out, what is publicly known counts.")
    ] = None
    display_name: DisplayName = ""
    enabled: bool = True
    is_default: bool = False
    compression_threshold: Threshold = 70
    options: CallOptions = CallOptions()
    prices: Prices | None = None


class PatchModel(_Request, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    display_name: DisplayName | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    is_default: Annotated[
        bool | UnsetType, Meta(description="true takes it from the one that is the default now.")
    ] = UNSET
    context_limit: ContextLimit | UnsetType = UNSET
    compression_threshold: Threshold | UnsetType = UNSET
    options: CallOptions | UnsetType = UNSET
    prices: Prices | UnsetType | None = UNSET


class ModelView(Struct, frozen=True, kw_only=True):
    id: str
    name: Annotated[str, Meta(description="provider/model: what chats are told to use.")]
    provider_id: str
    provider: str
    provider_type: ProviderType
    model: str
    display_name: str
    enabled: bool
    is_default: bool
    context_limit: int
    compression_threshold: int
    reasoning_efforts: Annotated[
        tuple[Effort, ...], Meta(description="What may be asked for; empty when it cannot be chosen.")
    ]
    prices: Annotated[
        Prices | None,
        Meta(description="In millionths of the currency for a million tokens. null: not known."),
    ]
    web_search: Annotated[bool, Meta(description="Whether its provider searches the web for its replies.")]
    prices_are_set: Annotated[bool, Meta(description="Here, and not only publicly known.")]
    declared: bool
    available: Annotated[bool, Meta(description="Whether you could use it now.")]
    unavailable_reason: Reason | None
    # For administrators.
    options: CallOptions | UnsetType = UNSET


class ModelList(Struct, frozen=True, kw_only=True):
    models: tuple[ModelView, ...]
    # For administrators, if there are any. The models of an unreadable provider are among them.
    unreadable: tuple[UnreadableView, ...] | UnsetType = UNSET


class KeyView(Struct, frozen=True, kw_only=True):
    provider_id: str
    provider: str
    user_keys_allowed: bool
    has_user_api_key: bool
    has_provider_api_key: bool


class KeyList(Struct, frozen=True, kw_only=True):
    keys: tuple[KeyView, ...]


class PutKey(_Request, frozen=True, kw_only=True):
    api_key: Key


class ChildModelInput(_Request, frozen=True, kw_only=True, omit_defaults=True):
    """A model for chats that work for others."""

    model: Name
    reasoning_effort: Effort | None = None


class SubagentsInput(_Request, frozen=True, kw_only=True):
    """What is not named stays as it is. null: the model of the chat that they work for."""

    general: ChildModelInput | UnsetType | None = UNSET
    explore: ChildModelInput | UnsetType | None = UNSET
    enabled: Annotated[
        bool | UnsetType,
        Meta(description="false: no chat of this server has tools to have others work for it."),
    ] = UNSET
    own_allowed: Annotated[
        bool | UnsetType, Meta(description="Whether users may choose for their own chats.")
    ] = UNSET


class OwnSubagentsInput(_Request, frozen=True, kw_only=True):
    """What is not named stays as it is. `chat`: the model of the chat that they work for."""

    general: ChildModelInput | Followed | UnsetType = UNSET
    explore: ChildModelInput | Followed | UnsetType = UNSET


class SettingsView(Struct, frozen=True, kw_only=True):
    system_prompt: str
    base_prompt: Annotated[
        str | None, Meta(description="What stands before it. null: the default; empty: nothing.")
    ]
    default_base_prompt: Annotated[str, Meta(description="chatd's own words.")]
    plan_prompt: Annotated[
        str, Meta(description="What chats that plan are told, after chatd's own words on plans.")
    ]
    compaction_model: str | None
    texts_model: Annotated[
        str | None, Meta(description="Writes titles, labels of turns and summaries of chats.")
    ]
    titles: Annotated[bool, Meta(description="Whether models find titles for chats.")]
    turn_labels: Annotated[bool, Meta(description="Whether models label the turns of chats.")]
    chat_summaries: Annotated[bool, Meta(description="Whether models sum chats up for lists.")]
    debug_records_allowed: bool
    debug_records_forced: Annotated[bool, Meta(description="The deployment records all chats.")]
    subagents: Annotated[Subagents, Meta(description="The models of chats that work for others, by type.")]


class PatchSettings(_Request, frozen=True, kw_only=True):
    system_prompt: Annotated[
        Prompt | UnsetType, Meta(description="What every chat of this server begins with; at most 128 KiB.")
    ] = UNSET
    base_prompt: Annotated[
        Prompt | UnsetType | None,
        Meta(
            description="What stands before `system_prompt`, at most 128 KiB. "
            "null: chatd's own words; empty: nothing."
        ),
    ] = UNSET
    plan_prompt: Annotated[
        Prompt | UnsetType,
        Meta(
            description="What chats in plan mode are told, after chatd's own words on plans; at most 128 KiB."
        ),
    ] = UNSET
    compaction_model: Annotated[
        str | UnsetType | None,
        Meta(
            description="The model that sums up conversations that have become too long. "
            "null: the model of the chat."
        ),
    ] = UNSET
    texts_model: Annotated[
        str | UnsetType | None,
        Meta(
            description="The model that writes titles, labels of turns and summaries of chats: a small one "
            "saves money. null: the model of the chat. While it cannot be used, none are written."
        ),
    ] = UNSET
    titles: Annotated[
        bool | UnsetType, Meta(description="Have models find titles for chats: one call for each chat.")
    ] = UNSET
    turn_labels: Annotated[
        bool | UnsetType,
        Meta(description="Have models label turns: one call for each turn, so it is off by default."),
    ] = UNSET
    chat_summaries: Annotated[
        bool | UnsetType,
        Meta(description="Have models sum chats up for lists: one call for every third turn."),
    ] = UNSET
    debug_records_allowed: Annotated[
        bool | UnsetType, Meta(description="Whether users may have their chats recorded, for debugging.")
    ] = UNSET
    subagents: Annotated[
        SubagentsInput | UnsetType, Meta(description="The models of chats that work for others, by type.")
    ] = UNSET


class UserSettingsView(Struct, frozen=True, kw_only=True):
    prompt: str
    model: Annotated[str | None, Meta(description="Of your new chats. null: that of the deployment.")]
    compaction_thresholds: Annotated[
        dict[str, int], Meta(description="Your own thresholds, in percent, by the name of the model.")
    ]
    debug_records: Annotated[bool, Meta(description="Whether your chats are recorded, for debugging.")]
    debug_records_allowed: Annotated[bool, Meta(description="Whether you may choose it.")]
    debug_records_forced: Annotated[bool, Meta(description="The deployment records all chats.")]
    subagents: Annotated[
        OwnSubagents, Meta(description="The models of chats that work for yours, if you may choose.")
    ]
    subagents_allowed: Annotated[bool, Meta(description="Whether you may choose them.")]


class PatchUserSettings(_Request, frozen=True, kw_only=True):
    prompt: Annotated[
        Prompt | UnsetType, Meta(description="What every chat of yours begins with; at most 128 KiB.")
    ] = UNSET
    model: Annotated[
        Name | UnsetType | None,
        Meta(description="What chats of yours have that name none. null: that of the deployment."),
    ] = UNSET
    compaction_thresholds: Annotated[
        dict[str, Annotated[int, Meta(ge=0, le=100)] | None] | UnsetType,
        Meta(
            description="At which share of the context, in percent, your chats are summarized, by the name "
            "of the model. 100: never by itself; null: as the model is set up. Others stay as they are."
        ),
    ] = UNSET
    debug_records: Annotated[
        bool | UnsetType,
        Meta(description="Record what is sent to models in your chats, and what comes back."),
    ] = UNSET
    subagents: Annotated[
        OwnSubagentsInput | UnsetType,
        Meta(description="The models of chats that work for yours, by type. An administrator allows it."),
    ] = UNSET


class FileAdded(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    media_type: str
    size_bytes: int
