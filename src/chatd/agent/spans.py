"""What a trace tells of a call of a model or a tool, by OpenTelemetry's conventions for generative AI."""

from chatd.agent.metrics import UNKNOWN, who
from chatd.domain.call import Call
from chatd.domain.ids import ChatId
from chatd.kit.tracing import Attributes, Value
from chatd.providers.events import Finished
from chatd.providers.model import Model
from chatd.records.run import Operation


def of_model(chat_id: ChatId, model: Model, operation: Operation) -> tuple[str, Attributes]:
    provider, name = who(model)
    return f"chat {name}", {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        # As it was called before, and is by many who read traces.
        "gen_ai.system": provider,
        "gen_ai.request.model": name,
        "gen_ai.conversation.id": chat_id,
        "chatd.operation": operation.value,
    }


def of_reply(finished: Finished | None) -> Attributes:
    if finished is None:
        return {}
    told: dict[str, Value] = {"gen_ai.response.finish_reasons": [finished.stop.value]}
    if finished.usage is not None:
        told["gen_ai.usage.input_tokens"] = finished.usage.input_tokens
        told["gen_ai.usage.output_tokens"] = finished.usage.output_tokens
    return told


def of_tool(call: Call, *, is_known: bool) -> tuple[str, Attributes]:
    """A name that a model made up may be anything."""
    name = call.tool if is_known else UNKNOWN
    return f"execute_tool {name}", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call.id,
    }
