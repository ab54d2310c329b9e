"""What traces tell, and what they never do: in a world with a worker, and with an exporter in memory."""

import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from chatd.app.telemetry import TracedDatabase, tracer_of
from chatd.domain.chat import Status
from chatd.kit import tracing
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.cli.program import chatd, complaint
from tests.worker.worlds.world import CHAT, World, tell

# The extra `otel`, which a checkout may not have installed yet.
pytest.importorskip("opentelemetry.sdk", reason="install it with the extra dev: make test")

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

SECRET = "a-word-that-nobody-else-may-read"

Story = Callable[[World], Awaitable[None]]


class Traced:
    """Spans as they end."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        self.tracer = tracer_of(provider)

    def spans(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all() if span.name == name]

    def all(self) -> Sequence[ReadableSpan]:
        found: Sequence[ReadableSpan] = self._exporter.get_finished_spans()
        return found


@pytest.fixture
def traced() -> Traced:
    return Traced()


def told(traced: Traced, story: Story) -> None:
    with tracing.traced_by(traced.tracer):
        tell(story)


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def test_a_turn_has_its_calls_of_models_and_tools_inside(traced: Traced) -> None:
    async def story(world: World) -> None:
        await world.start('call echo {"text": "hi"}\nnext\nsay Done.\nusage 11 of 1000')
        await world.until_idle()

    told(traced, story)

    (turn,) = traced.spans("invoke_agent")
    assert attributes(turn) == {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": CHAT}
    first, second = traced.spans("chat scripted")
    (tool,) = traced.spans("execute_tool echo")
    assert turn.context is not None
    for inside in (first, second, tool):
        assert inside.context is not None
        assert inside.context.trace_id == turn.context.trace_id
    assert {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.system": "scripted",
        "gen_ai.request.model": "scripted",
        "gen_ai.conversation.id": CHAT,
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 11,
    }.items() <= attributes(second).items()
    assert attributes(first)["gen_ai.response.finish_reasons"] == ("tool_call",)
    assert attributes(tool)["gen_ai.tool.name"] == "echo"
    assert (turn.kind, first.kind, tool.kind) == (SpanKind.INTERNAL, SpanKind.CLIENT, SpanKind.INTERNAL)


def test_nothing_that_was_said_is_in_a_span(traced: Traced) -> None:
    async def story(world: World) -> None:
        await world.start(
            f'think {SECRET}\ncall echo {{"text": "{SECRET}"}}\ncall {SECRET} {{}}\nnext\nsay {SECRET}'
        )
        await world.until_idle()

    told(traced, story)

    assert traced.spans("execute_tool echo")
    assert [span.to_json() for span in traced.all() if SECRET in span.to_json()] == []


def test_a_call_that_fails_says_of_what_kind_and_no_more(traced: Traced) -> None:
    async def story(world: World) -> None:
        await world.start("fail auth")
        await world.until(lambda chat: chat.status is Status.ERROR)

    told(traced, story)

    (call,) = traced.spans("chat scripted")
    assert attributes(call)["error.type"] == "auth"
    assert not call.status.is_ok
    assert (call.status.description, call.events) == (None, ())


async def test_a_request_is_a_span_with_its_transactions(
    traced: Traced, store: Store, client: Client
) -> None:
    with tracing.traced_by(traced.tracer):
        await client.get("/api/v1/chats")
        await TracedDatabase(store.db).read(lambda tx: tx.one("now"))
        with tracing.span("request", {}):
            await TracedDatabase(store.db).write(lambda tx: tx.one("now"))

    request, inner = traced.spans("request")
    assert attributes(request) == {
        "http.request.method": "GET",
        "http.route": "/api/v1/chats",
        "http.response.status_code": 200,
    }
    # The read belongs to nothing, so it is not told.
    assert traced.spans("read") == []
    (write,) = traced.spans("write")
    assert write.parent is not None
    assert inner.context is not None
    assert write.parent.span_id == inner.context.span_id
    assert (request.kind, write.kind) == (SpanKind.SERVER, SpanKind.CLIENT)


def test_a_server_without_traces_loads_nothing_of_it() -> None:
    look = "import sys, chatd.app.serve; print([n for n in sys.modules if n.startswith('opentelemetry')])"
    run = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)

    assert run.stdout == "[]\n"


def test_traces_without_their_package_are_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "opentelemetry").mkdir()
    (tmp_path / "opentelemetry" / "__init__.py").write_text("raise ImportError")

    run = chatd(
        tmp_path,
        "serve",
        "--port",
        "0",
        "--data-dir",
        "data",
        more={"CHATD_TRACES": "true", "PYTHONPATH": str(tmp_path)},
    )

    assert run.returncode == 2
    assert "chatd[otel]" in complaint(run)
