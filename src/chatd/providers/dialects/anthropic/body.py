"""The request around the messages: who is asked, how hard it should think, with which tools (pure)."""

from collections.abc import Iterator

from chatd.catalog.options import AnthropicOptions
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.anthropic.blocks import Block, Warnings, text_block
from chatd.providers.dialects.anthropic.cache import mark_last
from chatd.providers.dialects.anthropic.routes import NEW_VERSION, ROUTES, version
from chatd.providers.dialects.anthropic.thinking import ANSWER_TOKENS, Plan, can_think_on, plan_thinking
from chatd.providers.dialects.anthropic.tools import write_tools
from chatd.providers.dialects.shared.alternation import Shape, alternating

# Where neither the call nor the table of models knows better: there is no request without a limit.
OUTPUT_TOKENS_DEFAULT = 4096
LONG_CONTEXT_BETA = "context-1m-2025-08-07"

# How messages begin, as `write_turns` writes them. Signed thoughts stay apart from what other replies said.
_SHAPE = Shape(
    user=b'{"role":"user","content":[',
    model=b'{"role":"assistant","content":[',
    opening=b'{"type":"text","text":"(The conversation begins.)"}',
    apart=b'thinking"',
)

_SAMPLING = ("temperature", "top_p", "top_k")
_UNKNOWN_HERE = ("presence_penalty", "frequency_penalty", "seed")


def write_body(items: bytes, head: Head, target: Target) -> Body:
    warnings: Warnings = []
    options = target.options.anthropic or AnthropicOptions()
    route = ROUTES[target.route]
    items = alternating(items, _SHAPE)
    plan = plan_thinking(head, target, warnings)
    if plan.budget is not None and not can_think_on(items):
        plan = Plan()
        warnings.append(
            "The model was not asked to think: it goes on with a turn that began without thoughts."
        )
    betas = [LONG_CONTEXT_BETA] if options.context_1m_enabled else []

    fields: dict[str, Json] = {}
    if route.body_versions is not None:
        fields["anthropic_version"] = version(target)
    if betas and route.betas_in_body:
        fields["anthropic_beta"] = betas
    if route.names_model:
        fields["model"] = target.model
    fields["max_tokens"] = _max_tokens(head, target, plan, warnings)
    if route.asks_for_stream:
        fields["stream"] = True
    fields |= plan.fields
    fields |= _sampling(target, plan, warnings)
    if stops := [stop for stop in target.options.stop if stop.strip()]:
        fields["stop_sequences"] = stops
    if options.service_tier is not None:
        fields["service_tier"] = options.service_tier
    fields |= write_tools(head, target, warnings, thinks=plan.thinks)
    if system := _system(head, options):
        fields["system"] = system
    # Last, so that a longer conversation begins with the bytes of a shorter one.
    json = codec.encode(fields)[:-1] + b',"messages":[' + items + b"]}"
    return Body(json, dict(_headers(betas, target)), tuple(dict.fromkeys(warnings)))


def _headers(betas: list[str], target: Target) -> Iterator[tuple[str, str]]:
    route = ROUTES[target.route]
    if route.body_versions is None:
        yield "anthropic-version", version(target)
    if betas and not route.betas_in_body:
        yield "anthropic-beta", ",".join(betas)


def _max_tokens(head: Head, target: Target, plan: Plan, warnings: Warnings) -> int:
    wanted = (
        head.max_output_tokens
        or target.options.max_output_tokens
        or target.abilities.output_limit
        or OUTPUT_TOKENS_DEFAULT
    )
    if plan.budget is None or wanted > plan.budget:
        return wanted
    raised = plan.budget + ANSWER_TOKENS
    warnings.append(f"The output limit was raised to {raised}, to leave room beside the thinking budget.")
    return raised


def _sampling(target: Target, plan: Plan, warnings: Warnings) -> dict[str, Json]:
    options = target.options
    for name in _UNKNOWN_HERE:
        if getattr(options, name) is not None:
            warnings.append(f"The setting {name} was left out: this provider does not know it.")
    given = {name: getattr(options, name) for name in _SAMPLING if getattr(options, name) is not None}
    reason = _no_sampling_because(target, plan)
    if reason is None:
        return given
    warnings.extend(f"The setting {name} was left out: {reason}." for name in given)
    return {}


def _no_sampling_because(target: Target, plan: Plan) -> str | None:
    if version(target) == NEW_VERSION:
        return f"the API of {NEW_VERSION} refuses it"
    if plan.thinks:
        return "it does not go together with thinking"
    if not target.abilities.sampling:
        return "this model does not take it"
    return None


def _system(head: Head, options: AnthropicOptions) -> list[Block]:
    blocks = [text_block(text) for text in head.system if text.strip()]
    mark_last(blocks, options.cache)
    return blocks
