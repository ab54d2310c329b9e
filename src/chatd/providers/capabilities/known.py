"""What is known of models and servers, as tables. Where nothing is known, we assume little."""

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.models.rows import ModelConfig, Provider, ProviderType
from chatd.catalog.prices.model_names import own_name
from chatd.domain.message import Effort
from chatd.providers.capabilities.target import Abilities, DialectName, Files, Reasoning

MIB = 1024 * 1024

_LOW_TO_HIGH = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)
_MINIMAL_TO_HIGH = (Effort.MINIMAL, *_LOW_TO_HIGH)
_NONE_TO_HIGH = (Effort.NONE, *_LOW_TO_HIGH)
_NONE_TO_XHIGH = (*_NONE_TO_HIGH, Effort.XHIGH)

_OPENAI_REASONING = Abilities(
    reasoning=Reasoning.EFFORT,
    efforts=_NONE_TO_XHIGH,
    output_limit=128_000,
    sampling=False,
    system="developer",
)
_UNLISTED = Abilities(reasoning=Reasoning.ASKED)
_CLAUDE_BUDGET = Abilities(reasoning=Reasoning.BUDGET, output_limit=64_000)
# 4.6 knows no effort between high and the utmost.
_CLAUDE_ADAPTIVE = Abilities(
    reasoning=Reasoning.ADAPTIVE, output_limit=128_000, efforts=(*_NONE_TO_HIGH, Effort.MAX), prefill=False
)
# From 4.7 on thoughts are shown only on request, and neither budgets nor sampling are taken.
_CLAUDE_QUIET = Abilities(
    reasoning=Reasoning.ADAPTIVE, output_limit=128_000, thinking_display=True, prefill=False, sampling=False
)
# From 5 on it thinks unless it is told not to; from 5.5 on most cannot be told, nor, we assume, what follows.
_CLAUDE_NEW = replace(_CLAUDE_QUIET, thinks_unasked=True, can_stop_thinking=False)
_GEMINI = Abilities(output_limit=65_536)
# From the third generation on. Later ones refuse the lowest level.
_GEMINI_LEVELS = replace(_GEMINI, reasoning=Reasoning.LEVEL, efforts=_LOW_TO_HIGH)

# What follows may be a date or a word, and is not the number of a later one.
_NO_MINOR = r"(?![-.]\d{1,2}(?!\d))"
# The first pattern that fits the model's own name decides, whatever a gateway puts before and after it.
_CLAUDE = (
    (r"claude-(v?[12]\b|instant)", Abilities(output_limit=4096)),
    (r"claude-3-(opus|sonnet|haiku)", Abilities(output_limit=4096)),
    (r"claude-3[-.]5", Abilities(output_limit=8192)),
    (r"claude-3[-.]7", _CLAUDE_BUDGET),
    (rf"claude-opus-4([-.][01](?!\d))?{_NO_MINOR}", replace(_CLAUDE_BUDGET, output_limit=32_000)),
    (rf"claude-(opus|sonnet|haiku)-4([-.][0-5](?!\d))?{_NO_MINOR}", _CLAUDE_BUDGET),
    (r"claude-\w+-4[-.]6", _CLAUDE_ADAPTIVE),
    (r"claude-\w+-4[-.]\d", _CLAUDE_QUIET),
    (r"claude-(opus|sonnet)-5(?![-.]\d{1,2}\b)|claude-haiku-5", replace(_CLAUDE_NEW, can_stop_thinking=True)),
    (r"claude-", _CLAUDE_NEW),
)
_OPENAI = (
    (r"gpt-5(-\w*)?-chat|gpt-.*search|.*-(audio|realtime|transcribe|tts|image)", Abilities()),
    (r"chatgpt-", Abilities()),
    (r"o[134](-|$)", replace(_OPENAI_REASONING, efforts=_LOW_TO_HIGH, output_limit=100_000)),
    (r"gpt-5-pro", replace(_OPENAI_REASONING, efforts=(Effort.HIGH,))),
    (r"gpt-5-codex", replace(_OPENAI_REASONING, efforts=_LOW_TO_HIGH)),
    (r"gpt-5(-(mini|nano))?(-\d{4}|$)", replace(_OPENAI_REASONING, efforts=_MINIMAL_TO_HIGH)),
    (r"gpt-5\.1", replace(_OPENAI_REASONING, efforts=_NONE_TO_HIGH)),
    (r"gpt-([6-9]|5\.\d)", _OPENAI_REASONING),
    (r"gpt-4\.1", Abilities(output_limit=32_768)),
    (r"gpt-4o", Abilities(output_limit=16_384)),
)
_GOOGLE = (
    (r"gemini-.*(image|tts|audio|live|robotics|embedding|banana|omni)", _GEMINI),
    (
        r"gemini-2\.5-pro",
        replace(_GEMINI, reasoning=Reasoning.BUDGET, can_stop_thinking=False),
    ),
    (r"gemini-2\.5", replace(_GEMINI, reasoning=Reasoning.BUDGET)),
    (r"gemini-3-pro", replace(_GEMINI_LEVELS, efforts=(Effort.LOW, Effort.HIGH))),
    (
        r"gemini-(3(\.[0-6])?-flash|([3-9]|\d\d).*-flash-lite)",
        replace(_GEMINI_LEVELS, efforts=_MINIMAL_TO_HIGH),
    ),
    # The names without a number are those of the newest.
    (r"gemini-([3-9]|\d\d|(pro|flash|flash-lite)-latest)", _GEMINI_LEVELS),
    (r"gemma-", Abilities(system="merged")),
    (r"gemini-", replace(_GEMINI, output_limit=8192)),
)
_ABILITIES: Mapping[DialectName, tuple[tuple[str, Abilities], ...]] = {
    # Gateways speak it for others, too.
    DialectName.ANTHROPIC: (*_CLAUDE, *_OPENAI, *_GOOGLE),
    DialectName.RESPONSES: _OPENAI,
    DialectName.CHAT: (*_OPENAI, *_CLAUDE, *_GOOGLE),
    DialectName.GEMINI: _GOOGLE,
    DialectName.CONVERSE: _CLAUDE,
}

_EVERYTHING = Files(images=True, pdf=True, text=True, audio=True)
_ANTHROPIC_FILES = Files(images=True, pdf=True, text=True, image_bytes_max=5 * MIB)
# In clouds the same limit counts what is sent: in base64, four bytes for three.
_CLOUD_FILES = replace(_ANTHROPIC_FILES, image_bytes_max=5 * MIB * 3 // 4)
_FILES: Mapping[DialectName, Files] = {
    DialectName.ANTHROPIC: _ANTHROPIC_FILES,
    DialectName.RESPONSES: Files(images=True, pdf=True),
    DialectName.CHAT: _EVERYTHING,
    # A type that it does not know fails the whole request, and every later one of the chat.
    DialectName.GEMINI: replace(_EVERYTHING, gif=False, media=True),
    DialectName.CONVERSE: replace(_CLOUD_FILES, office=True),
}
_CLAUDE_IN_CLOUDS = frozenset({ProviderType.BEDROCK, ProviderType.GOOGLE})
# Gateways hand text on as something else. Ollama refuses every part that is neither text nor a picture.
_FILES_OF_TYPES: Mapping[ProviderType, Files] = {
    ProviderType.OPENROUTER: replace(_EVERYTHING, text=False),
    ProviderType.VERCEL: replace(_EVERYTHING, text=False),
    ProviderType.OLLAMA: Files(images=True, text=True),
}

# What OpenAI itself answers in both of its dialects, and better in the newer one. Models that search by
# themselves, or speak aloud, know only the older one.
_RESPONSES_MODELS = re.compile(
    r"(?!.*-(search|audio))(o[134](-|$)|gpt-4o|gpt-4\.1|gpt-([5-9]|\d\d)|chatgpt-|codex-|computer-use)"
)
# The older addresses of Azure, each of one deployment, know it alone as well.
_DEPLOYMENT = "/openai/deployments/"


class Facts(Struct, frozen=True):
    dialect: DialectName
    abilities: Abilities
    files: Files


def facts(provider: Provider, config: ModelConfig) -> Facts:
    """Everything that is known of a model where it is called; what the administrator has set wins."""
    dialect = dialect_of(provider, config)
    abilities = _opened(dialect, config) or abilities_of(dialect, config.model)
    files = _FILES_OF_TYPES.get(provider.type, _FILES[dialect])
    if dialect is DialectName.ANTHROPIC and provider.type in _CLAUDE_IN_CLOUDS:
        files = _CLOUD_FILES
    return Facts(dialect, replace(abilities, context_limit=config.context_limit), files)


def dialect_of(provider: Provider, config: ModelConfig) -> DialectName:
    match provider.type:
        case ProviderType.ANTHROPIC:
            return DialectName.ANTHROPIC
        case ProviderType.GOOGLE:
            claude = provider.settings.project is not None and config.model.startswith("claude")
            return DialectName.ANTHROPIC if claude else DialectName.GEMINI
        case ProviderType.BEDROCK:
            return DialectName.ANTHROPIC if "anthropic." in config.model else DialectName.CONVERSE
        case ProviderType.OPENAI | ProviderType.AZURE:
            wanted = config.options.use_responses_api
            is_known = _RESPONSES_MODELS.match(config.model) is not None
            known_to = is_known and _DEPLOYMENT not in (provider.base_url or "")
            return DialectName.RESPONSES if (known_to if wanted is None else wanted) else DialectName.CHAT
        case _:
            return DialectName.RESPONSES if config.options.use_responses_api else DialectName.CHAT


def abilities_of(dialect: DialectName, model: str) -> Abilities:
    return _listed(dialect, model) or Abilities()


def _listed(dialect: DialectName, model: str) -> Abilities | None:
    name = own_name(model)
    return next((known for pattern, known in _ABILITIES[dialect] if re.match(pattern, name)), None)


def _opened(dialect: DialectName, config: ModelConfig) -> Abilities | None:
    """People name deployments and fine-tuned models as they like: an administrator knows what they are."""
    is_opened = dialect is DialectName.RESPONSES and config.options.reasoning_effort is not None
    return _UNLISTED if is_opened and _listed(dialect, config.model) is None else None
