"""One call over a real socket: what is sent, what comes back, and what a failure says."""

import asyncio
import gzip
from collections.abc import Callable, Mapping, Sequence
from typing import cast
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs

from chatd.catalog.models.options import CallOptions, OpenAIOptions
from chatd.domain.part import Json, Reasoning
from chatd.errors import ProviderError
from chatd.providers import failures
from chatd.providers.capabilities.target import DialectName, Target
from chatd.providers.credentials.secret import Secret
from chatd.providers.credentials.signing import Key
from chatd.providers.dialect import Written
from chatd.providers.events import (
    Accepted,
    Failed,
    Finished,
    Refusal,
    Started,
    Stop,
    StreamEvent,
    TextDelta,
    Warned,
)
from chatd.providers.http_model import ANSWER_BYTES_MAX, ERROR_BYTES_MAX, SAID_ANEW, SKIPPED, WHOLE_BYTES_MAX
from chatd.providers.model import Request, Transcript
from chatd.providers.request.wire_turn import SaidText, Thought, WireTurn
from chatd.providers.transport.http import Pools, Way
from tests.providers.histories import reply, user
from tests.providers.transport.memory import MemoryPost, MemorySource
from tests.providers.transport.plain import (
    FINISHED,
    TARGET,
    Plain,
    PlainAndWhole,
    PlainDecoder,
    asking,
    everything,
    model_at,
    sse,
)
from tests.providers.transport.server import Exchange, never, saying, serving
from tests.traceability import proves

WAY = Way(provider_id="p1")


async def test_what_is_said_comes_as_events() -> None:
    async with serving(saying(sse("[BEGIN]", "Sun"), sse("day", "[END]"))) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY))

        assert await everything(model) == [Started("r1", "m"), TextDelta("Sun"), TextDelta("day"), FINISHED]
        assert server.asked[0].body == b'{"said":["Hello?"]}'


@proves("model-layer", 12)
async def test_warnings_come_first_and_once() -> None:
    async with serving(saying(sse("[BEGIN]", "[END]"))) as server, Pools() as pools:
        model = model_at(
            server.address, pools.post_by(WAY), dialect=Plain(warnings=("no seed", "no top_k", "no seed"))
        )

        assert await everything(model) == [Warned(("no seed", "no top_k")), Started("r1", "m"), FINISHED]


@proves("model-layer", 150)
async def test_an_error_is_told_once_and_nothing_is_sent_again() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(429 if exchange.number == 1 else 200, Retry_After="7", X_Request_Id="req-1")
        exchange.say(sse("[END]"))
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY)))

        assert len(server.asked) == 1
        assert failed.value.status_code == 429
        assert failed.value.provider == "plain"
        assert failed.value.request_id == "req-1"


async def test_of_an_endless_error_only_the_beginning_is_read() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(500, "text/plain")
        exchange.say(b"x" * (ERROR_BYTES_MAX + 1))
        await never()

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY)))

        assert failed.value.status_code == 500
        await server.until_no_client_is_connected()


async def test_an_error_whose_words_break_off_is_still_that_error() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(529, "application/json")
        exchange.say(b'{"error":')
        exchange.drop()

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY)))

        assert failed.value.status_code == 529


async def test_a_redirect_is_an_error_and_is_not_followed() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(307, Location="/elsewhere")
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY)))

        assert failed.value.status_code == 307
        assert [asked.path for asked in server.asked] == ["/chat/completions"]


@proves("model-layer", 151)
async def test_a_call_beats_the_instance_and_the_instance_beats_the_defaults() -> None:
    async with serving(saying(sse("[END]"))) as server, Pools() as pools:
        post = pools.post_by(WAY)
        instance = {"X-Team": "instance", "USER-AGENT": "instance/1", "X-Only": "instance"}
        first = model_at(server.address, post, dialect=Plain(headers={"x-team": "call"}), headers=instance)
        second = model_at(server.address, post, headers={"X-Team": "instance"})
        third = model_at(server.address, post)
        for model in (first, second, third):
            await everything(model)

        sent = [[asked.header(name) for name in ("x-team", "x-only")] for asked in server.asked]
        assert sent == [["call", "instance"], ["instance", None], [None, None]]
        agents = [asked.header("user-agent") or "" for asked in server.asked]
        assert agents[0] == "instance/1"
        assert agents[1].startswith("chatd/")


@proves("model-layer", 152)
@pytest.mark.parametrize("prefix", ["/gate/way/v1", "/gate/way/v1/", "/gate/way/v1/chat/completions"])
async def test_the_path_follows_a_base_with_a_prefix(prefix: str) -> None:
    async with serving(saying(sse("[END]"))) as server, Pools() as pools:
        await everything(model_at(server.address + prefix, pools.post_by(WAY)))

        assert server.asked[0].path == "/gate/way/v1/chat/completions"


async def test_a_quoted_name_in_the_path_is_sent_as_it_is() -> None:
    path = "/model/arn%3Aaws%3Abedrock%2Fx/invoke?alt=sse"
    async with serving(saying(sse("[END]"))) as server, Pools() as pools:
        await everything(model_at(server.address, pools.post_by(WAY), dialect=Plain(path=path)))

        assert server.asked[0].path == path


async def test_a_packed_answer_is_unpacked() -> None:
    packed = gzip.compress(sse("Hello", "[END]"))

    async def script(exchange: Exchange) -> None:
        exchange.begin(Content_Encoding="gzip")
        exchange.say(packed[:10])
        exchange.say(packed[10:])
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        assert await everything(model_at(server.address, pools.post_by(WAY))) == [
            TextDelta("Hello"),
            FINISHED,
        ]


async def test_what_is_called_packed_but_is_not_cannot_be_read() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(Content_Encoding="gzip")
        exchange.say(sse("Hello", "[END]"))
        await never()

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError):
            await everything(model_at(server.address, pools.post_by(WAY)))
        await server.until_no_client_is_connected()


async def test_cookies_do_not_travel_to_the_next_call() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(Set_Cookie="who=me")
        exchange.say(sse("[END]"))
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        # No client keeps cookies of a bare number.
        address = server.address.replace("127.0.0.1", "localhost")
        model = model_at(address, pools.post_by(WAY))
        await everything(model)
        await everything(model)

        assert [asked.header("cookie") for asked in server.asked] == [None, None]


async def test_a_large_request_arrives_whole() -> None:
    words = "long " * 1_000_000

    async with serving(saying(sse("[END]"))) as server, Pools() as pools:
        await everything(model_at(server.address, pools.post_by(WAY)), asking(words))

        assert len(server.asked[0].body) > 5_000_000
        assert server.asked[0].header("transfer-encoding") is None


@pytest.mark.parametrize(
    "damage", [b"zz\r\nno chunk", b""], ids=["a chunk without a size", "a connection that is lost"]
)
async def test_a_stream_that_breaks_off_says_so_at_once(damage: bytes) -> None:
    heard: list[StreamEvent] = []
    shown = asyncio.Event()

    async def script(exchange: Exchange) -> None:
        exchange.begin(X_Request_Id="req-2")
        exchange.say(sse("Sun"))
        await shown.wait()
        if damage:
            exchange.raw(damage)
            await never()
        exchange.drop()

    async with serving(script) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY))
        with pytest.raises(ProviderError) as failed:
            await everything(model, heard=heard, on_hearing=shown.set)

        assert heard == [Accepted("req-2"), TextDelta("Sun")]
        assert failed.value.retryable
        assert failed.value.request_id == "req-2"
        await server.until_no_client_is_connected()


async def test_a_stream_that_ends_before_the_answer_does_has_broken_off() -> None:
    async with serving(saying(sse("Sun"))) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY)))

        assert failed.value.fault == "incomplete_stream"


async def test_a_server_that_is_not_there_is_told_as_a_failure() -> None:
    async with serving(saying()) as server:
        address = server.address

    async with Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(address, pools.post_by(WAY)))
        # What failed uses nothing any more.
        await pools.forget("p1")
        assert pools._pools == {}

    assert failed.value.retryable
    assert failed.value.provider == "plain"


async def test_credentials_that_are_missing_are_the_providers_failure_and_nothing_is_sent() -> None:
    class Broke:
        async def sign(self, url: str, body: bytes) -> Mapping[str, str]:
            raise ProviderError("auth", "There is no money.")

    async with serving(saying(sse("[END]"))) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY), credentials=Broke()))

        assert (failed.value.kind, failed.value.provider) == ("auth", "plain")
        assert server.asked == []


class Complaining(PlainDecoder):
    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        self._over = True
        out.append(Failed(failures.in_stream(message=data.decode())))


class Repeating(Plain):
    """Whatever it says is a complaint."""

    def decoder(self, target: Target, new_id: Callable[[], str]) -> PlainDecoder:
        return Complaining()


@pytest.mark.parametrize("header", ["x-api-key", "authorization"])
@pytest.mark.parametrize("is_begun", [False, True], ids=["at once", "within the stream"])
async def test_a_key_that_the_provider_repeats_is_not_shown(header: str, is_begun: bool) -> None:  # noqa: FBT001
    async def script(exchange: Exchange) -> None:
        exchange.begin(200 if is_begun else 401, "text/event-stream" if is_begun else "text/plain")
        words = f"Wrong key: {exchange.asked.header(header)}"
        exchange.say(sse(words) if is_begun else words.encode())
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        key = Key(header, Secret("hunter2-hunter2"))
        model = model_at(server.address, pools.post_by(WAY), dialect=Repeating(), credentials=key)
        with pytest.raises(ProviderError) as failed:
            await everything(model)

    shown = f"{failed.value.message} {failed.value.detail} {failed.value.__notes__}"
    assert "hunter2" not in shown
    assert "…" in (failed.value.detail or "")


async def test_an_error_within_the_stream_is_raised_after_what_came_before_it() -> None:
    heard: list[StreamEvent] = []

    async with (
        serving(saying(sse("Sun") + b"event: error\ndata: overloaded_error\n\n")) as server,
        Pools() as pools,
    ):
        with pytest.raises(ProviderError, match=r"It failed|overloaded"):
            await everything(model_at(server.address, pools.post_by(WAY)), heard=heard)

        assert heard == [TextDelta("Sun")]


async def test_an_answer_in_one_piece_is_the_dialects_to_read() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(content_type="application/json; charset=utf-8")
        exchange.say(b'{"all":')
        exchange.say(b'"at once"}')
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        post = pools.post_by(WAY)
        events = await everything(model_at(server.address, post, dialect=PlainAndWhole()))
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, post))

        assert events == [TextDelta('{"all":"at once"}'), FINISHED]
        assert failed.value.fault == "invalid_response"


async def test_an_answer_in_one_piece_has_a_limit() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(content_type="application/json")
        exchange.say(b"x" * (WHOLE_BYTES_MAX + exchange.number - 1))
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY), dialect=PlainAndWhole())
        assert len(await everything(model)) == 2
        with pytest.raises(ProviderError) as failed:
            await everything(model)

        assert failed.value.fault == "invalid_response"


CHAINED = replace(
    TARGET, dialect=DialectName.RESPONSES, options=CallOptions(openai=OpenAIOptions(store=True))
)


def _lost(exchange: Exchange) -> None:
    exchange.begin(400, "application/json")
    exchange.say(
        b'{"error":{"type":"invalid_request_error","code":"previous_response_not_found",'
        b'"message":"Previous response with id \'resp_1\' not found.","param":"previous_response_id"}}'
    )
    exchange.end()


def _continued() -> Request:
    internal: Json = {
        "origin": {"provider": "p1", "asked": "m"},
        "reply": {"response_id": "resp_1", "stored": True},
    }
    from_provider = reply("Mars.", internal=internal)
    return Request(messages=[user("A planet?"), from_provider, user("A moon?")])


async def test_a_provider_that_lost_the_chat_is_told_it_again_once() -> None:
    async def script(exchange: Exchange) -> None:
        if exchange.number == 1:
            _lost(exchange)
        else:
            await saying(sse("Io.", "[END]"))(exchange)

    async with serving(script) as server, Pools() as pools:
        events = await everything(model_at(server.address, pools.post_by(WAY), target=CHAINED), _continued())

        assert events == [TextDelta("Io."), FINISHED]
        assert [asked.body for asked in server.asked] == [
            b'{"said":["A moon?"],"after":"resp_1"}',
            b'{"said":["A planet?","Mars.","A moon?"]}',
        ]


async def test_a_provider_that_keeps_losing_the_chat_has_failed() -> None:
    async def script(exchange: Exchange) -> None:
        _lost(exchange)

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY), target=CHAINED), _continued())

        assert failed.value.fault == "chain_broken"
        assert len(server.asked) == 2


SIGNED = replace(TARGET, dialect=DialectName.ANTHROPIC)


def _refuses_its_own(exchange: Exchange) -> None:
    exchange.begin(400, "application/json")
    exchange.say(
        b'{"type":"error","error":{"type":"invalid_request_error",'
        b'"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}'
    )
    exchange.end()


def _with_thoughts() -> Request:
    internal: Json = {"origin": {"provider": "p1"}, "parts": {"0": {"signature": "of another model"}}}
    thoughtful = reply(Reasoning(text="Hm."), "Mars.", internal=internal)
    return Request(messages=Transcript([user("A planet?"), thoughtful, user("A moon?")]))


class Thoughtful(Plain):
    def write_turns(self, turns: Sequence[WireTurn], target: Target, *, newest: bool) -> Written:
        return Written([p.text for turn in turns for p in turn.parts if isinstance(p, SaidText | Thought)])


async def test_a_provider_that_does_not_know_its_own_words_is_told_them_as_a_stranger_is() -> None:
    async def script(exchange: Exchange) -> None:
        if exchange.number == 1:
            _refuses_its_own(exchange)
        else:
            await saying(sse("Io.", "[END]"))(exchange)

    request = _with_thoughts()
    async with serving(script) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY), target=SIGNED, dialect=Thoughtful())
        events = await everything(model, request)

        assert events == [Warned((SAID_ANEW,)), TextDelta("Io."), FINISHED]
        assert [asked.body for asked in server.asked] == [
            b'{"said":["A planet?","Hm.","Mars.","A moon?"]}',
            b'{"said":["A planet?","Mars.","A moon?"]}',
        ]
        # The next step of the chat does not try it again; what was said since is the provider's own.
        own: Json = {"origin": {"provider": "p1"}, "parts": {"0": {"signature": "its own"}}}
        cast("Transcript", request.messages).extend(
            [reply(Reasoning(text="Aha."), "Io.", internal=own), user("Sure?")]
        )
        await everything(model, request)
        assert [asked.body for asked in server.asked[2:]] == [
            b'{"said":["A planet?","Mars.","A moon?","Aha.","Io.","Sure?"]}'
        ]


async def test_a_provider_that_refuses_the_words_too_has_failed() -> None:
    async def script(exchange: Exchange) -> None:
        _refuses_its_own(exchange)

    async with serving(script) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(WAY), target=SIGNED), _with_thoughts())

        assert failed.value.fault == "replay_mismatch"
        assert len(server.asked) == 2


async def test_a_stream_without_end_is_given_up() -> None:
    megabyte = sse("x" * 1024 * 1024)
    post = MemoryPost(MemorySource(*[megabyte] * (ANSWER_BYTES_MAX // len(megabyte) + 1)))

    with pytest.raises(ProviderError) as failed:
        async for _ in model_at("http://example.com", post).stream(asking()):
            pass

    assert failed.value.fault == "answer_too_large"
    assert post.sources[0].closed


async def test_what_is_unknown_is_left_out_and_counted() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(
            b"event: strange\ndata: 1\n\n" + sse("Sun") + b"event: strange\ndata: 2\n\n" + sse("[END]")
        )
        exchange.end()

    counted = SKIPPED.labels("plain")._value.get()
    async with serving(script) as server, Pools() as pools:
        assert await everything(model_at(server.address, pools.post_by(WAY))) == [TextDelta("Sun"), FINISHED]

    assert SKIPPED.labels("plain")._value.get() == counted + 2


ECHOED = "0p3n/Sesame+of=the-operator"


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize(
    "spelled",
    [
        lambda key: key,
        str.upper,
        lambda key: f"req-{key}-1",
        lambda key: quote(key, safe=""),
        "\t".join,
        lambda key: f"{'r' * 180}{key}",
        lambda key: f"req-{key[:-2]}",
    ],
    ids=["plain", "upper case", "within", "quoted", "in pieces", "cut", "half"],
)
async def test_a_key_that_comes_back_as_the_id_of_the_request_is_not_taken_for_one(
    status: int, spelled: Callable[[str], str]
) -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(status, X_Request_Id=spelled(ECHOED))
        exchange.say(sse("Sun"))
        exchange.drop()

    heard: list[StreamEvent] = []
    async with serving(script) as server, Pools() as pools:
        key = Key("authorization", Secret(ECHOED))
        model = model_at(server.address, pools.post_by(WAY), credentials=key)
        with pytest.raises(ProviderError) as failed:
            await everything(model, heard=heard)

    assert failed.value.request_id is None
    assert not [event for event in heard if isinstance(event, Accepted)]


async def test_what_an_administrator_set_as_a_header_is_no_id_and_in_no_error() -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin(500, "text/plain", X_Request_Id="blue-team-of-acme")
        exchange.say(b"No budget for Blue-Team-of-Acme.")
        exchange.end()

    async with serving(script) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(WAY), headers={"X-Team": "blue-team-of-acme"})
        with pytest.raises(ProviderError) as failed:
            await everything(model)

    assert (failed.value.request_id, failed.value.detail) == (None, "No budget for ….")


class Naming(PlainDecoder):
    """Whatever comes is the id of the answer and the name of the model; then it declines."""

    def feed(self, name: bytes, data: bytes, out: list[StreamEvent]) -> None:
        if not self._over:
            self._over = True
            out.append(Started(data.decode(), data.decode()))
            out.append(Finished(Stop.REFUSED, refusal=Refusal(data.decode(), data.decode())))


class Repeated(Plain):
    def decoder(self, target: Target, new_id: Callable[[], str]) -> PlainDecoder:
        return Naming()


async def test_a_key_is_in_nothing_that_is_kept_of_an_answer() -> None:
    async with serving(saying(sse(ECHOED))) as server, Pools() as pools:
        key = Key("authorization", Secret(ECHOED))
        model = model_at(server.address, pools.post_by(WAY), credentials=key, dialect=Repeated())

        heard = await everything(model)

    assert heard == [Started("…", "…"), Finished(Stop.REFUSED, refusal=Refusal("…", "…"))]


async def test_a_key_that_comes_back_as_the_code_of_an_unknown_error_is_not_logged() -> None:
    script = saying(b"event: error\ndata: " + ECHOED.encode() + b"\n\n")
    with capture_logs() as logs:
        async with serving(script) as server, Pools() as pools:
            key = Key("authorization", Secret(ECHOED))
            with pytest.raises(ProviderError) as failed:
                await everything(model_at(server.address, pools.post_by(WAY), credentials=key))

    assert (failed.value.fault, failed.value.__notes__[-1]) == ("unknown", "Its codes: …")
    assert [each["event"] for each in logs] == ["provider.unclassified"]
    assert ECHOED.lower() not in f"{logs}{failed.value.__notes__}".lower()
