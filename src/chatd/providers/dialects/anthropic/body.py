"""The request around the messages: which model, how hard it should think, with which tools (pure)."""

from collections.abc import Iterator

from chatd.catalog.models.options import AnthropicOptions
from chatd.domain.part import Json
from chatd.kit import codec
from chatd.providers.capabilities.target import Target
from chatd.providers.dialect import Body, Head
from chatd.providers.dialects.anthropic.blocks import Block, Warnings, text_block
from chatd.providers.dialects.anthropic.cache import mark_last
from chatd.providers.dialects.anthropic.options import max_tokens, sampling
from chatd.providers.dialects.anthropic.routes import ROUTES, version
from chatd.providers.dialects.anthropic.thinking import Plan, can_think_on, plan_thinking
from chatd.providers.dialects.anthropic.tools import write_tools
from chatd.providers.dialects.shared.alternation import Shape, alternating

LONG_CONTEXT_BETA = "context-1m-2025-08-07"

# How messages begin, as `write_turns` writes them. Signed thoughts stay apart from what other replies said.
_SHAPE = Shape(
    user=b'{"role":"user","content":[',
    model=b'{"role":"assistant","content":[',
    opening=b'{"type":"text","text":"(The conversation begins.)"}',
    apart=b'thinking"',
)


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
    fields["max_tokens"] = max_tokens(head, target, plan, warnings)
    if route.asks_for_stream:
        fields["stream"] = True
    fields |= plan.fields
    fields |= sampling(target, plan, warnings)
    if head.response_format is not None:
        warnings.append("response_format was left out: this provider does not know it.")
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


def _system(head: Head, options: AnthropicOptions) -> list[Block]:
    blocks = [text_block(text) for text in head.system if text.strip()]
    mark_last(blocks, options.cache)
    return blocks
