"""What a provider wants back of its own answers, and what it got: for comparing the two."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from chatd.domain.part import Json
from tests.fake_provider.script import Answer
from tests.fake_provider.server import FakeProvider
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.chat import Chat, OpenRouter
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses
from tests.fake_provider.wires.wire import Asked

Items: TypeAlias = list[Any]


def wanted(fake: FakeProvider, asked: Asked, answer: Answer) -> Items:
    """How what it answered there has to be in the next request."""
    want, _ = _FORMS[asked.wire]
    return want(fake.wires[asked.wire].whole(answer, asked))


def sent_back(asked: Asked) -> Items:
    """Everything in a request that a model has said, answer after answer."""
    _, get = _FORMS[asked.wire]
    return get(asked.body)


def _blocks_wanted(message: Json) -> Items:
    return list(message["content"])


def _blocks_sent(body: Json) -> Items:
    blocks = [each for m in body["messages"] if m["role"] == "assistant" for each in m["content"]]
    return [{name: value for name, value in each.items() if name != "cache_control"} for each in blocks]


def _items_wanted(response: Json) -> Items:
    return [_as_input(item) for item in response["output"]]


def _as_input(item: Json) -> Json:
    match item["type"]:
        case "message":
            return {"type": "message", "role": "assistant", "content": item["content"][0]["text"]}
        case "function_call":
            return {name: item[name] for name in ("type", "call_id", "name", "arguments")}
        case _:
            return item


def _items_sent(body: Json) -> Items:
    ours = {"function_call_output", "computer_call_output"}
    return [i for i in body["input"] if i["type"] not in ours and i.get("role", "assistant") == "assistant"]


def _message_wanted(completion: Json) -> Items:
    message = completion["choices"][0]["message"]
    fields = ("role", "content", "reasoning_content", "tool_calls")
    return [{name: message[name] for name in fields if name in message}]


def _detailed_message_wanted(completion: Json) -> Items:
    message = completion["choices"][0]["message"]
    details: dict[tuple[str, int], dict[str, Any]] = {}
    for piece in message.get("reasoning_details", ()):
        kept = details.setdefault((piece["type"], piece["index"]), {**piece, "text": ""})
        kept |= {**piece, "text": kept["text"] + piece.get("text", "")}
    entries = [{name: v for name, v in each.items() if v != ""} for each in details.values()]
    [plain] = _message_wanted(completion)
    return [{**plain, "reasoning_details": entries} if entries else plain]


def _messages_sent(body: Json) -> Items:
    return [message for message in body["messages"] if message["role"] == "assistant"]


def _parts_wanted(chunk: Json) -> Items:
    parts = chunk["candidates"][0]["content"]["parts"]
    return [part for part in parts if not part.get("thought")]


def _parts_sent(body: Json) -> Items:
    return [part for c in body["contents"] if c["role"] == "model" for part in c["parts"]]


def _converse_wanted(answer: Json) -> Items:
    return list(answer["output"]["message"]["content"])


_FORMS: Mapping[str, tuple[Callable[[Json], Items], Callable[[Json], Items]]] = {
    Messages.name: (_blocks_wanted, _blocks_sent),
    Invoke.name: (_blocks_wanted, _blocks_sent),
    Responses.name: (_items_wanted, _items_sent),
    Chat.name: (_message_wanted, _messages_sent),
    OpenRouter.name: (_detailed_message_wanted, _messages_sent),
    Gemini.name: (_parts_wanted, _parts_sent),
    Converse.name: (_converse_wanted, _blocks_sent),
}
