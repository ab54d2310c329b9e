"""Traces for OpenTelemetry, where the extra `otel` is installed and the settings want them."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, TypeVar

import structlog

from chatd import __version__
from chatd.errors import Misconfigured
from chatd.kit.tracing import Attributes, Kind, Span, Tracer, span, traced_by
from chatd.storage.database import Body, Database, Pace
from chatd.storage.queries import SqlEngine

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span as OtelSpan

log = structlog.get_logger()

T = TypeVar("T")

# How long it is tried to send a batch: a server that stops waits for the last one. See STOP_SECONDS in
# app/serve.py.
SEND_SECONDS = 2.0
TIMEOUT_VARIABLES = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")

# As OpenTelemetry calls them.
SYSTEMS = {SqlEngine.SQLITE: "sqlite", SqlEngine.POSTGRES: "postgresql"}

RESOURCE_VARIABLE = "OTEL_RESOURCE_ATTRIBUTES"

NOT_INSTALLED = (
    "Traces are wanted (CHATD_TRACES), and OpenTelemetry is not installed. Install it with "
    "`pip install 'chatd[otel]'`, or unset CHATD_TRACES."
)


@asynccontextmanager
async def tracing(*, wanted: bool) -> AsyncIterator[None]:
    """Spans are sent in the block, to where the variables of OpenTelemetry say. Raises Misconfigured."""
    if not wanted:
        yield
        return
    provider = _provider()
    log.info("traces.sent", hint="OTEL_EXPORTER_OTLP_ENDPOINT says where to.")
    try:
        with traced_by(tracer_of(provider)):
            yield
    finally:
        # Sends what is left. In a thread: it waits for the network.
        await asyncio.to_thread(provider.shutdown)


def _provider() -> "TracerProvider":
    try:
        # Here, and not above: a server without traces does not load any of it.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
            OTLPSpanExporter,
        )
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise Misconfigured(NOT_INSTALLED) from error
    named = "OTEL_SERVICE_NAME" in os.environ or "service.name=" in os.environ.get(RESOURCE_VARIABLE, "")
    ours = {"service.version": __version__, **({} if named else {"service.name": "chatd"})}
    provider = TracerProvider(resource=Resource.create(ours))
    seconds = None if any(name in os.environ for name in TIMEOUT_VARIABLES) else SEND_SECONDS
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=seconds)))
    return provider


def tracer_of(provider: "TracerProvider") -> Tracer:
    """Spans of ours as those of OpenTelemetry. What exceptions say is left out: they may quote people."""
    from opentelemetry.trace import SpanKind  # noqa: PLC0415 - loaded already

    tracer = provider.get_tracer("chatd", __version__)

    @contextmanager
    def begin(name: str, attributes: Attributes, kind: Kind) -> Iterator[Span]:
        with tracer.start_as_current_span(
            name,
            kind=SpanKind[kind.name],
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as raw:
            ours = _OtelSpan(raw)
            try:
                yield ours
            except Exception as error:
                ours.fail(getattr(error, "kind", None) or type(error).__name__)
                raise

    return begin


class _OtelSpan:
    def __init__(self, raw: "OtelSpan") -> None:
        self._raw = raw

    def set(self, attributes: Attributes) -> None:
        self._raw.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        from opentelemetry.trace import StatusCode  # noqa: PLC0415 - loaded already

        self._raw.set_attribute("error.type", kind)
        self._raw.set_status(StatusCode.ERROR)


def traced(db: Database, *, wanted: bool) -> Database:
    """The same database; its transactions are spans where traces are wanted."""
    return TracedDatabase(db) if wanted else db


class TracedDatabase:
    """Transactions that belong to a request or a turn. Those of chores would each be a trace of one span."""

    def __init__(self, db: Database) -> None:
        from opentelemetry.trace import get_current_span  # noqa: PLC0415 - as above

        self._current = get_current_span
        self._db = db
        self.engine = db.engine
        self._system = SYSTEMS[db.engine]

    async def write(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not self._current().is_recording():
            return await self._db.write(body, pace=pace)
        with self._span("write"):
            return await self._db.write(body, pace=pace)

    async def read(self, body: Body[T], *, pace: Pace = Pace.USUAL) -> T:
        if not self._current().is_recording():
            return await self._db.read(body, pace=pace)
        with self._span("read"):
            return await self._db.read(body, pace=pace)

    def _span(self, operation: str) -> AbstractContextManager[Span]:
        return span(operation, {"db.system.name": self._system, "db.operation.name": operation}, Kind.CLIENT)
