"""What is known of models and servers, as tables. Where nothing is known, we assume little."""

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from chatd.catalog.rows import ModelConfig, Provider, ProviderType
from chatd.domain.message import Effort
from chatd.providers.target import Abilities, DialectName, Files, Reasoning

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
_CLAUDE_BUDGET = Abilities(reasoning=Reasoning.BUDGET, output_limit=64_000)
_CLAUDE_ADAPTIVE = Abilities(reasoning=Reasoning.ADAPTIVE, output_limit=64_000)
_CLAUDE_NEW = Abilities(
    reasoning=Reasoning.ADAPTIVE, output_limit=128_000, thinking_display=True, prefill=False, sampling=False
)
_GEMINI = Abilities(output_limit=65_536)

# The first pattern that fits the model's name decides; a maker's or region's prefix does not count.
_CLAUDE = (
    (r"claude-(v?[12]\b|instant)", Abilities(output_limit=4096)),
    (r"claude-3-(opus|sonnet|haiku)", Abilities(output_limit=4096)),
    (r"claude-3[-.]5", Abilities(output_limit=8192)),
    (r"claude-3[-.]7", _CLAUDE_BUDGET),
    (r"claude-opus-4([-.][01])?(-\d{8}|$|-v)", replace(_CLAUDE_BUDGET, output_limit=32_000)),
    (r"claude-(opus|sonnet|haiku)-4([-.][0-5])?(-\d{8}|$|-v)", _CLAUDE_BUDGET),
    (r"claude-opus-4[-.]6", replace(_CLAUDE_ADAPTIVE, output_limit=128_000)),
    (r"claude-(sonnet|haiku)-4[-.]6", _CLAUDE_ADAPTIVE),
    (r"claude-", _CLAUDE_NEW),
)
_OPENAI = (
    (r"gpt-5(-\w*)?-chat|gpt-.*search|.*-(audio|realtime|transcribe|tts|image)", Abilities()),
    (r"o[134](-|$)", replace(_OPENAI_REASONING, efforts=_LOW_TO_HIGH, output_limit=100_000)),
    (r"gpt-5(-(mini|nano|pro|codex))?(-\d{4}|$)", replace(_OPENAI_REASONING, efforts=_MINIMAL_TO_HIGH)),
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
    (r"gemini-(3|3\.1)-pro", replace(_GEMINI, reasoning=Reasoning.LEVEL, efforts=(Effort.LOW, Effort.HIGH))),
    (r"gemini-([3-9]|\d\d)", replace(_GEMINI, reasoning=Reasoning.LEVEL, efforts=_MINIMAL_TO_HIGH)),
    (r"gemma-", Abilities(system="merged")),
    (r"gemini-", replace(_GEMINI, output_limit=8192)),
)
_ABILITIES: Mapping[DialectName, tuple[tuple[str, Abilities], ...]] = {
    DialectName.ANTHROPIC: _CLAUDE,
    DialectName.RESPONSES: _OPENAI,
    DialectName.CHAT: (*_OPENAI, *_CLAUDE, *_GOOGLE),
    DialectName.GEMINI: _GOOGLE,
    DialectName.CONVERSE: _CLAUDE,
}
_PREFIX = re.compile(r"^(?:[\w.-]+/)?(?:(?:global|[a-z]{2}|apac)\.)?(?:anthropic\.)?")

_EVERYTHING = Files(images=True, pdf=True, text=True, audio=True)
_ANTHROPIC_FILES = Files(images=True, pdf=True, text=True, image_bytes_max=5 * MIB)
_FILES: Mapping[DialectName, Files] = {
    DialectName.ANTHROPIC: _ANTHROPIC_FILES,
    DialectName.RESPONSES: Files(images=True, pdf=True),
    DialectName.CHAT: _EVERYTHING,
    DialectName.GEMINI: replace(_EVERYTHING, other=True),
    DialectName.CONVERSE: _ANTHROPIC_FILES,
}
# Gateways that hand text on as something else.
_FILES_OF_GATEWAYS = replace(_EVERYTHING, text=False)
_GATEWAYS = frozenset({ProviderType.OPENROUTER, ProviderType.VERCEL})

# What OpenAI itself answers in both of its dialects, and better in the newer one.
_RESPONSES_MODELS = re.compile(r"(o[134](-|$)|gpt-4o|gpt-4\.1|gpt-([5-9]|\d\d)|chatgpt-|codex-|computer-use)")


class Facts(Struct, frozen=True):
    dialect: DialectName
    abilities: Abilities
    files: Files


def facts(provider: Provider, config: ModelConfig) -> Facts:
    """Everything that is known of a model where it is called; what the administrator has set wins."""
    dialect = dialect_of(provider, config)
    abilities = abilities_of(dialect, config.model)
    files = _FILES_OF_GATEWAYS if provider.type in _GATEWAYS else _FILES[dialect]
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
            known_to = _RESPONSES_MODELS.match(config.model) is not None
            return DialectName.RESPONSES if (known_to if wanted is None else wanted) else DialectName.CHAT
        case _:
            return DialectName.RESPONSES if config.options.use_responses_api else DialectName.CHAT


def abilities_of(dialect: DialectName, model: str) -> Abilities:
    name = _PREFIX.sub("", model.lower(), count=1)
    for pattern, abilities in _ABILITIES[dialect]:
        if re.match(pattern, name):
            return abilities
    return Abilities()
