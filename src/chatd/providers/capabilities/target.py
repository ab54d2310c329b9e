"""What is known of the model that is called, and of the server that it is called at. Data, not code."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from chatd.catalog.models.options import CallOptions
from chatd.domain.message import Effort

Route: TypeAlias = Literal["direct", "bedrock", "vertex", "azure"]


class DialectName(StrEnum):
    ANTHROPIC = "anthropic.messages"
    RESPONSES = "openai.responses"
    CHAT = "openai.chat"
    GEMINI = "google.generate"
    CONVERSE = "bedrock.converse"


class Reasoning(StrEnum):
    """How a model is told how hard to think."""

    NONE = "none"
    # OpenAI: a word.
    EFFORT = "effort"
    # OpenAI, of a model that nothing is known of: a word as well, but only when the call asks for one.
    ASKED = "asked"
    # Anthropic before 4.6, Gemini 2.5: a number of tokens.
    BUDGET = "budget"
    # Gemini 3: a level.
    LEVEL = "level"
    # Anthropic from 4.6 on: by itself, with an effort.
    ADAPTIVE = "adaptive"


class Abilities(Struct, frozen=True, kw_only=True):
    """What a model can do. Unknown models get careful assumptions."""

    context_limit: int = 0
    output_limit: int = 0
    reasoning: Reasoning = Reasoning.NONE
    # What the model itself accepts, weakest first; empty: whatever the scale has.
    efforts: tuple[Effort, ...] = ()
    sampling: bool = True
    prefill: bool = True
    # Opus 4.7 and later: thinking is shown only when asked for, and takes no budget.
    thinking_display: bool = False
    # May be told not to think at all.
    can_stop_thinking: bool = True
    # Anthropic from 5 on: thinks although the request does not ask for it.
    thinks_unasked: bool = False
    system: Literal["system", "developer", "merged", "none"] = "system"
    provider_tools: bool = True


class Files(Struct, frozen=True, kw_only=True):
    """What a server takes as it is. A wrong yes loses the file, so unknown means no."""

    images: bool = False
    # A kind of picture that not everyone reads who reads the others.
    gif: bool = True
    pdf: bool = False
    text: bool = False
    audio: bool = False
    # Word and Excel.
    office: bool = False
    # Films, and more kinds of pictures and sounds.
    media: bool = False
    # Decoded; larger ones are replaced by a notice. 0: no limit known.
    image_bytes_max: int = 0


class Quirks(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a server that speaks Chat Completions does differently."""

    # Where a model's thoughts go when they are sent back; "same": wherever they came from.
    reasoning_field: Literal["none", "same", "reasoning_content", "reasoning", "reasoning_details"] = "none"
    replay_empty_reasoning: bool = False
    # No message of the assistant goes without the field, also those of other models.
    reasoning_required: bool = False
    effort_style: Literal["reasoning_effort", "reasoning.effort", "thinking.type", "none"] = "none"
    # The words that the server knows for it, weakest first, where nothing is known of the model.
    efforts: tuple[Effort, ...] = ()
    token_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"  # noqa: S105
    no_stream_options: bool = False
    no_named_choice: bool = False
    # Whether tools are called is for the model alone to say.
    no_tool_choice: bool = False
    no_parallel_flag: bool = False
    no_strict: bool = False
    # A request with tools must not ask for thinking in this dialect.
    no_effort_with_tools: bool = False
    # Between the result of a tool and what the user says next, the assistant has to speak.
    no_user_after_tool: bool = False
    top_k: bool = False
    no_temperature: bool = False
    system_role: Literal["system", "developer", "merged"] = "system"
    string_content_only: bool = False
    tool_id_style: Literal["any", "alnum9"] = "any"
    usage_outside_reasoning: bool = False
    gemini_compat: bool = False
    cache_marks: bool = False
    usage_include: bool = False
    # Responses: results may be lists of text and pictures.
    list_outputs: bool = True


class Target(Struct, frozen=True, kw_only=True):
    """One model at one configured provider, in the dialect that was chosen for it once and for all."""

    # The identity of the provider's row: what it wrote goes back to it alone.
    provider_id: str
    # As people named it, for errors and logs.
    provider: str
    # Its type, such as "anthropic" or "openrouter".
    type: str
    dialect: DialectName
    model: str
    abilities: Abilities = Abilities()
    files: Files = Files()
    quirks: Quirks = Quirks()
    options: CallOptions = CallOptions()
    # Anthropic: "2026-10-21", or "2023-06-01" for what else speaks the dialect.
    api_version: str = ""
    # The same dialect, reached another way, which leaves out or moves some fields.
    route: Route = "direct"
