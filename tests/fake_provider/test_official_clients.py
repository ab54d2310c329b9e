"""Honesty: the providers' own client libraries talk to the fake one, and read what its script says.

The libraries take seconds to import and more to check, so only the tests that use them import them, by name.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any

import pytest

from chatd.providers.events import Stop
from tests.fake_provider.places import KEY, PLACES
from tests.fake_provider.script import Draw, Refuse, answer, say
from tests.fake_provider.server import FakeProvider, InOnePiece
from tests.fake_provider.troubles import Breaks, Complaint, Fault, Hint
from tests.fake_provider.turns.stories import PAGES, THREE_STEPS
from tests.fake_provider.turns.world import PNG
from tests.fake_provider.wires.anthropic import Invoke, Messages
from tests.fake_provider.wires.converse import Converse
from tests.fake_provider.wires.gemini import Gemini
from tests.fake_provider.wires.responses import Responses

# Google's, of another library.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")

CALLS, SEARCH, END = THREE_STEPS
TOO_OFTEN = Complaint(fault=Fault.RATE_LIMIT, words="Slow down.", retry=Hint("seconds", 7))
BROKEN = answer(say("Hel", "lo."), troubles=(Breaks(after=3, fault=Fault.OVERLOADED, words="Too busy."),))
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


@pytest.fixture
async def fake() -> AsyncIterator[FakeProvider]:
    async with FakeProvider() as provider:
        yield provider


def nothing_was_refused(fake: FakeProvider) -> None:
    assert [words for _, words in fake.refused] == []


# Anthropic.


@pytest.fixture
async def claude(fake: FakeProvider) -> AsyncIterator[Any]:
    library = importlib.import_module("anthropic")
    async with library.AsyncAnthropic(base_url=fake.address, api_key=KEY, max_retries=0) as client:
        yield client


def claude_request(*history: Any) -> dict[str, Any]:
    return {
        "model": PLACES[Messages.name].model,
        "max_tokens": 1000,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Tides?"}]}, *history],
        "tools": [
            *({"name": name, "description": name, "input_schema": SCHEMA} for name in ("echo", "remember")),
            {"type": "web_search_20250305", "name": "web_search"},
        ],
    }


async def test_anthropics_client_reads_the_stream_and_what_it_sends_back_is_taken(
    fake: FakeProvider, claude: Any
) -> None:
    fake.will_say(*THREE_STEPS)
    history: list[Any] = []
    heard = []
    for _ in THREE_STEPS:
        async with claude.messages.stream(**claude_request(*history)) as stream:
            spoken = "".join([words async for words in stream.text_stream])
            message = await stream.get_final_message()
        heard.append((spoken, message))
        content = [block.to_dict(exclude_unset=True) for block in message.content]
        history.append({"role": "assistant", "content": content})
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": [{"type": "text", "text": "Yes."}]}
            for block in message.content
            if block.type == "tool_use"
        ]
        history.append({"role": "user", "content": results})

    nothing_was_refused(fake)
    (first, calls), (_, search), (last, end) = heard
    assert (first, last) == ("Let me look, \N{EYES}.", "It is the moon.")
    assert [block.type for block in calls.content] == [
        "redacted_thinking",
        "thinking",
        "text",
        "tool_use",
        "tool_use",
    ]
    assert calls.content[1].thinking == "Two things at once."
    assert [block.input for block in calls.content[3:]] == [
        {"text": "größer"},
        {"text": "later", "seconds": 0},
    ]
    assert calls.stop_reason == "tool_use"
    assert [block.type for block in search.content] == [
        "thinking",
        "server_tool_use",
        "web_search_tool_result",
        "thinking",
        "text",
        "tool_use",
    ]
    assert [found.url for found in search.content[2].content] == [page.url for page in PAGES]
    assert search.content[4].citations[0].url == PAGES[0].url
    assert search.usage.server_tool_use.web_search_requests == 1
    assert end.stop_reason == "end_turn"
    usage = end.usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens) == (100, 60, 40)


async def test_anthropics_client_understands_how_it_complains(fake: FakeProvider, claude: Any) -> None:
    library = importlib.import_module("anthropic")
    fake.will_say(TOO_OFTEN, BROKEN, answer(Refuse("Not this.")), InOnePiece(END))

    with pytest.raises(library.RateLimitError) as limited:
        await claude.messages.create(**claude_request())
    with pytest.raises(library.APIStatusError, match="Too busy"):
        async with claude.messages.stream(**claude_request()) as stream:
            await stream.get_final_message()
    async with claude.messages.stream(**claude_request()) as stream:
        refused = await stream.get_final_message()
    whole = await claude.messages.create(**claude_request())
    with pytest.raises(library.BadRequestError, match="the first message is not the user's"):
        await claude.messages.create(
            **claude_request() | {"messages": [{"role": "assistant", "content": []}]}
        )

    assert limited.value.response.headers["retry-after"] == "7"
    assert limited.value.body["error"]["type"] == "rate_limit_error"
    assert refused.stop_reason == "refusal"
    assert refused.stop_details.explanation == "Not this."
    assert whole.content[-1].text == "It is the moon."


# OpenAI.


@pytest.fixture
async def openai(fake: FakeProvider) -> AsyncIterator[Any]:
    library = importlib.import_module("openai")
    async with library.AsyncOpenAI(base_url=f"{fake.address}/v1", api_key=KEY, max_retries=0) as client:
        yield client


def responses_request(*history: Any) -> dict[str, Any]:
    function = {"type": "function", "description": "", "parameters": SCHEMA, "strict": False}
    return {
        "model": PLACES[Responses.name].model,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "input": [{"type": "message", "role": "user", "content": "Tides?"}, *history],
        "tools": [*({**function, "name": name} for name in ("echo", "remember")), {"type": "web_search"}],
    }


def as_input(item: Any) -> dict[str, Any]:
    """What its documentation says to send back: what came, without what is only told."""
    fields: dict[str, Any] = item.to_dict(exclude_unset=True)
    match fields["type"]:
        case "message":
            return {"type": "message", "role": "assistant", "content": fields["content"][0]["text"]}
        case "function_call":
            return {name: fields[name] for name in ("type", "call_id", "name", "arguments")}
        case _:
            return fields


async def test_openais_client_reads_responses_and_what_it_sends_back_is_taken(
    fake: FakeProvider, openai: Any
) -> None:
    fake.will_say(*THREE_STEPS)
    history: list[Any] = []
    heard: list[tuple[str, str, Any]] = []
    for _ in THREE_STEPS:
        words, thoughts = "", ""
        async with openai.responses.stream(**responses_request(*history)) as stream:
            async for event in stream:
                if event.type == "response.output_text.delta":
                    words += event.delta
                elif event.type == "response.reasoning_summary_text.delta":
                    thoughts += event.delta
            response = await stream.get_final_response()
        heard.append((words, thoughts, response))
        history += [as_input(item) for item in response.output]
        history += [
            {"type": "function_call_output", "call_id": item.call_id, "output": "Yes."}
            for item in response.output
            if item.type == "function_call"
        ]

    nothing_was_refused(fake)
    (words, thoughts, calls), (_, _, search), (_, _, end) = heard
    assert (words, thoughts) == ("Let me look, \N{EYES}.", "Two things at once.")
    assert [item.type for item in calls.output] == [
        "reasoning",
        "reasoning",
        "message",
        "function_call",
        "function_call",
    ]
    assert [json.loads(item.arguments) for item in calls.output[3:]] == [
        {"text": "größer"},
        {"text": "later", "seconds": 0},
    ]
    assert search.output[1].action.query == "tides"
    assert search.output[3].content[0].annotations[0].url == PAGES[0].url
    assert end.output_text == "It is the moon."
    assert (end.usage.input_tokens, end.usage.input_tokens_details.cached_tokens) == (170, 60)
    assert (end.usage.output_tokens, end.usage.output_tokens_details.reasoning_tokens) == (40, 25)


async def test_openais_client_continues_a_response_that_was_kept(fake: FakeProvider, openai: Any) -> None:
    library = importlib.import_module("openai")
    fake.will_say(answer(say("One.")), answer(say("Two.")))
    request = responses_request() | {"store": True}

    first = await openai.responses.create(**request)
    second = await openai.responses.create(**request, previous_response_id=first.id)
    fake.responses.forget_everything_kept()
    with pytest.raises(library.APIStatusError) as lost:
        await openai.responses.create(**request, previous_response_id=second.id)

    assert second.output_text == "Two."
    assert lost.value.code == "previous_response_not_found"


async def test_every_event_of_a_response_is_as_openais_types_say(fake: FakeProvider, openai: Any) -> None:
    pydantic = importlib.import_module("pydantic")
    types = importlib.import_module("openai.types.responses.response_stream_event")
    events = pydantic.TypeAdapter(types.ResponseStreamEvent)
    fake.will_say(
        *THREE_STEPS, answer(Draw(PNG), Refuse("Not this.")), answer(say("To be"), stop=Stop.LENGTH)
    )
    seen = set()

    for _ in range(5):
        async with openai.responses.with_streaming_response.create(**responses_request(), stream=True) as raw:
            async for line in raw.iter_lines():
                if line.startswith("data: "):
                    seen.add(events.validate_json(line.removeprefix("data: ")).type)

    assert {"response.completed", "response.incomplete", "response.refusal.done"} <= seen


def chat_request(*history: Any) -> dict[str, Any]:
    function = {"description": "", "parameters": SCHEMA}
    return {
        "model": PLACES["chat"].model,
        "messages": [{"role": "user", "content": "Tides?"}, *history],
        "tools": [
            {"type": "function", "function": {**function, "name": name}} for name in ("echo", "remember")
        ],
        "stream_options": {"include_usage": True},
    }


async def test_openais_client_reads_chat_completions_and_what_it_sends_back_is_taken(
    fake: FakeProvider, openai: Any
) -> None:
    fake.will_say(*THREE_STEPS)
    history: list[Any] = []
    heard = []
    for _ in THREE_STEPS:
        async with openai.chat.completions.stream(**chat_request(*history)) as stream:
            completion = await stream.get_final_completion()
        heard.append(completion)
        message = completion.choices[0].message
        calls = [call.to_dict() for call in message.tool_calls or ()]
        for call in calls:
            call["function"] = {name: call["function"][name] for name in ("name", "arguments")}
        history.append(
            {"role": "assistant", "content": message.content, **({"tool_calls": calls} if calls else {})}
        )
        history += [{"role": "tool", "tool_call_id": call["id"], "content": "Yes."} for call in calls]

    nothing_was_refused(fake)
    first, search, end = (completion.choices[0] for completion in heard)
    assert first.message.content == "Let me look, \N{EYES}."
    assert first.finish_reason == "tool_calls"
    assert [json.loads(call.function.arguments) for call in first.message.tool_calls] == [
        {"text": "größer"},
        {"text": "later", "seconds": 0},
    ]
    assert search.message.annotations[0].url_citation.url == PAGES[0].url
    assert (end.message.content, end.finish_reason) == ("It is the moon.", "stop")
    assert heard[-1].usage.total_tokens == 210
    assert heard[-1].usage.completion_tokens_details.reasoning_tokens == 25


async def test_openais_client_understands_how_it_complains(fake: FakeProvider, openai: Any) -> None:
    library = importlib.import_module("openai")
    fake.will_say(TOO_OFTEN, TOO_OFTEN, BROKEN, BROKEN, InOnePiece(END))

    for call in (openai.responses.create, openai.chat.completions.create):
        request = responses_request() if call == openai.responses.create else plain(chat_request())
        with pytest.raises(library.RateLimitError) as limited:
            await call(**request)
        assert limited.value.response.headers["retry-after"] == "7"
        assert limited.value.code == "rate_limit_exceeded"
    with pytest.raises(library.APIError, match="Too busy"):
        async for _ in await openai.chat.completions.create(**chat_request(), stream=True):
            pass
    failed = [event async for event in await openai.responses.create(**responses_request(), stream=True)][-1]
    whole = await openai.chat.completions.create(**plain(chat_request()))

    assert (failed.type, failed.response.error.message) == ("response.failed", "Too busy.")
    assert whole.choices[0].message.content == "It is the moon."


def plain(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != "stream_options"}


# Google.


@pytest.fixture
async def google(fake: FakeProvider) -> AsyncIterator[Any]:
    library = importlib.import_module("google.genai")
    client = library.Client(api_key=KEY, http_options={"base_url": fake.address, "api_version": "v1beta"})
    try:
        yield client.aio
    finally:
        await client.aio.aclose()
        client.close()


def gemini_request(*history: Any) -> dict[str, Any]:
    types = importlib.import_module("google.genai.types")
    declarations = [
        types.FunctionDeclaration(name=name, description=name, parameters_json_schema=SCHEMA)
        for name in ("echo", "remember")
    ]
    config = types.GenerateContentConfig(
        tools=[
            types.Tool(function_declarations=declarations),
            types.Tool(google_search=types.GoogleSearch()),
        ],
        tool_config=types.ToolConfig(include_server_side_tool_invocations=True),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        thinking_config=types.ThinkingConfig(thinking_level="LOW", include_thoughts=True),
    )
    contents = [{"role": "user", "parts": [{"text": "Tides?"}]}, *history]
    return {"model": PLACES[Gemini.name].model, "contents": contents, "config": config}


async def test_googles_client_reads_the_stream_and_what_it_sends_back_is_taken(
    fake: FakeProvider, google: Any
) -> None:
    fake.will_say(*THREE_STEPS)
    history: list[Any] = []
    heard = []
    for _ in THREE_STEPS:
        stream = await google.models.generate_content_stream(**gemini_request(*history))
        chunks = [chunk async for chunk in stream]
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        heard.append((chunks, parts))
        # The empty part of the last chunk has nothing to say, and thoughts stay with people.
        said = [p for p in parts if not p.thought and (p.text or p.text is None or p.thought_signature)]
        history.append({"role": "model", "parts": said})
        calls = [part.function_call for part in parts if part.function_call]
        responses = [
            {"function_response": {"name": call.name, "id": call.id, "response": {"result": "Yes."}}}
            for call in calls
        ]
        history.append({"role": "user", "parts": responses})

    nothing_was_refused(fake)
    (_, calls), (searched, search), (ended, end) = heard
    assert "".join(part.text for part in calls if part.thought) == "Two things at once."
    assert "".join(part.text or "" for part in calls if not part.thought) == "Let me look, \N{EYES}."
    called = [part for part in calls if part.function_call]
    assert [part.function_call.args for part in called] == [
        {"text": "größer"},
        {"text": "later", "seconds": 0},
    ]
    assert [bool(part.thought_signature) for part in called] == [True, False]
    assert [part.tool_call.tool_type.value for part in search if part.tool_call] == ["GOOGLE_SEARCH_WEB"]
    grounding = searched[-1].candidates[0].grounding_metadata
    assert [chunk.web.uri for chunk in grounding.grounding_chunks] == [page.url for page in PAGES]
    assert "".join(part.text for part in end if not part.thought) == "It is the moon."
    assert ended[-1].candidates[0].finish_reason.value == "STOP"
    usage = ended[-1].usage_metadata
    assert (usage.prompt_token_count, usage.cached_content_token_count) == (170, 60)
    assert (usage.candidates_token_count, usage.thoughts_token_count) == (15, 25)


async def test_googles_client_understands_how_it_complains(fake: FakeProvider, google: Any) -> None:
    library = importlib.import_module("google.genai.errors")
    delay = Complaint(fault=Fault.RATE_LIMIT, words="Slow down.", retry=Hint("retry info", 34))
    fake.will_say(delay, answer(say("No"), Refuse("Not this.")), InOnePiece(END), answer(Draw(PNG)))

    with pytest.raises(library.ClientError) as limited:
        await google.models.generate_content(**gemini_request())
    refused = await google.models.generate_content(**gemini_request())
    whole = await google.models.generate_content(**gemini_request())
    drawn = await google.models.generate_content(**gemini_request())

    assert (limited.value.code, limited.value.status) == (429, "RESOURCE_EXHAUSTED")
    assert limited.value.details["error"]["details"][0]["retryDelay"] == "34s"
    assert refused.candidates[0].finish_reason.value == "SAFETY"
    assert whole.text == "It is the moon."
    assert drawn.candidates[0].content.parts[0].inline_data.data == PNG


# AWS.


@pytest.fixture
def bedrock(fake: FakeProvider) -> Iterator[Any]:
    """Its client waits by blocking, so it is asked in a thread."""
    session = importlib.import_module("botocore.session").Session()
    config = importlib.import_module("botocore.config").Config(retries={"total_max_attempts": 1})
    client = session.create_client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=fake.address,
        aws_access_key_id="AKIA",
        aws_secret_access_key=KEY,
        config=config,
    )
    yield client
    client.close()


def converse_request(*history: Any) -> dict[str, Any]:
    specs = [
        {"toolSpec": {"name": name, "description": name, "inputSchema": {"json": SCHEMA}}}
        for name in ("echo", "remember")
    ]
    return {
        "modelId": PLACES[Converse.name].model,
        "messages": [{"role": "user", "content": [{"text": "Tides?"}]}, *history],
        "toolConfig": {"tools": specs},
    }


async def test_awss_client_reads_converse_and_what_it_sends_back_is_taken(
    fake: FakeProvider, bedrock: Any
) -> None:
    fake.will_say(CALLS, InOnePiece(CALLS), SEARCH)

    def listen(**request: Any) -> list[Any]:
        with closing(bedrock.converse_stream(**request)["stream"]) as stream:
            return list(stream)

    heard = await asyncio.to_thread(listen, **converse_request())
    whole = await asyncio.to_thread(bedrock.converse, **converse_request())
    message = whole["output"]["message"]
    results = [
        {"toolResult": {"toolUseId": block["toolUse"]["toolUseId"], "content": [{"text": "Yes."}]}}
        for block in message["content"]
        if "toolUse" in block
    ]
    answered = converse_request(message, {"role": "user", "content": results})
    searched = await asyncio.to_thread(listen, **answered)

    nothing_was_refused(fake)
    deltas = [event["contentBlockDelta"]["delta"] for event in heard if "contentBlockDelta" in event]
    thoughts = [delta["reasoningContent"] for delta in deltas if "reasoningContent" in delta]
    assert "".join(thought.get("text", "") for thought in thoughts) == "Two things at once."
    assert "".join(delta.get("text", "") for delta in deltas) == "Let me look, \N{EYES}."
    starts = [event["contentBlockStart"]["start"] for event in heard if "contentBlockStart" in event]
    assert [start["toolUse"]["name"] for start in starts] == ["echo", "remember"]
    arguments = "".join(delta["toolUse"]["input"] for delta in deltas if "toolUse" in delta)
    assert arguments == '{"text":"größer"}{"text":"later","seconds":0}'
    signature = "".join(thought.get("signature", "") for thought in thoughts)
    assert message["content"][1]["reasoningContent"]["reasoningText"]["signature"] == signature
    redacted = b"".join(thought.get("redactedContent", b"") for thought in thoughts)
    assert message["content"][0]["reasoningContent"]["redactedContent"] == redacted
    assert heard[-2]["messageStop"]["stopReason"] == "tool_use"
    assert heard[-1]["metadata"]["usage"] == {
        "inputTokens": 100,
        "outputTokens": 40,
        "totalTokens": 210,
        "cacheReadInputTokens": 60,
        "cacheWriteInputTokens": 10,
    }
    cited = [
        event["contentBlockDelta"]["delta"].get("citation")
        for event in searched
        if "contentBlockDelta" in event
    ]
    assert [each["location"]["web"]["url"] for each in cited if each] == [PAGES[0].url]


async def test_awss_client_reads_claude_and_understands_how_it_complains(
    fake: FakeProvider, bedrock: Any
) -> None:
    errors = importlib.import_module("botocore.exceptions")
    fake.will_say(END, TOO_OFTEN, BROKEN)
    request = claude_request() | {"anthropic_version": "bedrock-2023-05-31"}
    body = json.dumps({name: request[name] for name in ("anthropic_version", "max_tokens", "messages")})

    def listen() -> list[Any]:
        model = PLACES[Invoke.name].model
        answered = bedrock.invoke_model_with_response_stream(modelId=model, body=body)
        with closing(answered["body"]) as stream:
            return [json.loads(event["chunk"]["bytes"]) for event in stream]

    events = await asyncio.to_thread(listen)
    with pytest.raises(errors.ClientError) as limited:
        await asyncio.to_thread(bedrock.converse, **converse_request())
    with pytest.raises(errors.EventStreamError, match="Too busy"):
        await asyncio.to_thread(listen)

    texts = [event["delta"].get("text", "") for event in events if event["type"] == "content_block_delta"]
    assert "".join(texts) == "It is the moon."
    assert limited.value.response["Error"]["Code"] == "ThrottlingException"
