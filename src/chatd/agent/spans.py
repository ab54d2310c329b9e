"""What a trace tells of a call of a model or a tool, by OpenTelemetry's conventions for generative AI."""

from chatd.agent.metrics import UNKNOWN, who
from chatd.domain.call import Call
from chatd.domain.ids import ChatId
from chatd.kit.tracing import Attributes, Kind, Value
from chatd.providers.events import Finished, Stop
from chatd.providers.model import Model
from chatd.records.run import Operation

# As the conventions call them. Ours are those of no provider, so nobody else would know them.
FINISH_REASONS = {Stop.DONE: "stop", Stop.TOOLS: "tool_call", Stop.REFUSED: "content_filter"}


def of_model(chat_id: ChatId, model: Model, operation: Operation) -> tuple[str, Attributes, Kind]:
    _, name = who(model)
    vendor = model.vendor or UNKNOWN
    return (
        f"chat {name}",
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": vendor,
            # As it was called before, and is by many who read traces.
            "gen_ai.system": vendor,
            "gen_ai.request.model": name,
            "gen_ai.conversation.id": chat_id,
            "chatd.operation": operation.value,
            # As an administrator has named it, and as it is in our metrics.
            "chatd.provider": model.provider or UNKNOWN,
        },
        Kind.CLIENT,
    )


def of_reply(finished: Finished | None) -> Attributes:
    if finished is None:
        return {}
    reason = FINISH_REASONS.get(finished.stop, finished.stop.value)
    told: dict[str, Value] = {"gen_ai.response.finish_reasons": [reason]}
    if (usage := finished.usage) is not None:
        # The whole prompt: of what was read from a cache or written to one, the conventions tell as a part.
        cached = usage.cache_read_tokens, usage.cache_creation_tokens
        told["gen_ai.usage.input_tokens"] = usage.input_tokens + sum(cached)
        told["gen_ai.usage.output_tokens"] = usage.output_tokens
        told["gen_ai.usage.cache_read.input_tokens"], told["gen_ai.usage.cache_creation.input_tokens"] = (
            cached
        )
    return told


def of_tool(call: Call, *, is_known: bool) -> tuple[str, Attributes]:
    """A name that a model made up may be anything."""
    name = call.tool if is_known else UNKNOWN
    return f"execute_tool {name}", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.id,
    }
