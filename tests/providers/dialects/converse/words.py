"""Turns and requests for the tests of what Converse is sent."""

import json
from typing import Any

from msgspec.structs import replace

from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.converse import CONVERSE
from chatd.providers.model import ToolSpec
from chatd.providers.request.wire_turn import (
    Attachment,
    Returned,
    SaidText,
    TurnPart,
    WireTurn,
)
from tests.providers.dialects.converse.streams import TARGET
from tests.providers.dialects.converse.validator import problems
from tests.providers.replayed import body_of

ASK = [WireTurn("user", (SaidText("How is the weather?"),))]


WEATHER = ToolSpec(
    name="weather",
    description="Tells the weather.",
    input_schema={"type": "object", "properties": {"city": {"type": "string"}}},
)


TOOLS = Head(tools=(WEATHER,))


PNG = Attachment("image/png", b"\x89PNG", "a.png")


PDF = Attachment("application/pdf", b"%PDF", "report_v1.2 (final).pdf")


def said(*parts: TurnPart) -> WireTurn:
    return WireTurn("assistant", parts)


def asked(words: str) -> WireTurn:
    return WireTurn("user", (SaidText(words),))


def returned(output: Json, **more: Any) -> WireTurn:
    return WireTurn("tool", (Returned("c1", "weather", output, **more),))


def body(segments: list[list[WireTurn]], target: Target = TARGET, head: Head | None = None) -> dict[str, Any]:
    """The request, which has to be one that Converse takes."""
    read: dict[str, Any] = json.loads(body_of(CONVERSE, segments, target, head))
    assert problems(read) == []
    return read


def messages(*turns: WireTurn, target: Target = TARGET) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = body([ASK, list(turns)], target, TOOLS)["messages"]
    return read[1:]


def head_of(target: Target, head: Head | None = None) -> dict[str, Any]:
    read = body([ASK], target, head)
    del read["messages"]
    return read


def warnings_of(target: Target, head: Head | None = None) -> tuple[str, ...]:
    return CONVERSE.write_body(b'{"role":"user","content":[{"text":"x"}]}', head or Head(), target).warnings


def thinking(reasoning: Reasoning, **more: Any) -> Target:
    return replace(TARGET, abilities=Abilities(reasoning=reasoning, **more))
