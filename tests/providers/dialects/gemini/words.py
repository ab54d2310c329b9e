"""Turns and requests for the tests of what Gemini is sent."""

import json
from typing import Any

from msgspec.structs import replace

from chatd.catalog.models.options import CallOptions, GoogleOptions
from chatd.domain.part import Json
from chatd.providers.capabilities.target import Abilities, Reasoning, Target
from chatd.providers.dialect import Head
from chatd.providers.dialects.gemini import GEMINI
from chatd.providers.model import ToolSpec
from chatd.providers.request.wire_turn import (
    Attachment,
    Returned,
    SaidText,
    TurnPart,
    WireTurn,
)
from tests.providers.dialects.gemini.streams import ANSWERS, TARGET, decoded, sse
from tests.providers.dialects.gemini.validator import problems
from tests.providers.replayed import answers, as_turn, body_of

PLACEHOLDER = "skip_thought_signature_validator"


ASK = [WireTurn("user", (SaidText("How is the weather?"),))]


WEATHER = ToolSpec(
    name="weather",
    description="Tells the weather.",
    input_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)


PNG = Attachment("image/png", b"\x89PNG", "a.png")


WAV = Attachment("audio/wav", b"RIFF", "a.wav")


BUDGET = replace(TARGET, model="gemini-2.5-flash", abilities=Abilities(reasoning=Reasoning.BUDGET))


VERTEX = replace(TARGET, route="vertex")


def said(*parts: TurnPart) -> WireTurn:
    return WireTurn("assistant", parts)


def asked(words: str) -> WireTurn:
    return WireTurn("user", (SaidText(words),))


def returned(output: Json, **more: Any) -> WireTurn:
    return WireTurn("tool", (Returned("c1", "weather", output, **more),))


def body(
    segments: list[list[WireTurn]], target: Target = TARGET, head: Head | None = None, **checks: bool
) -> dict[str, Any]:
    """The request, which has to be one that Gemini takes."""
    read: dict[str, Any] = json.loads(body_of(GEMINI, segments, target, head))
    assert problems(read, signed=target.abilities.reasoning is Reasoning.LEVEL, **checks) == []
    return read


def contents(*turns: WireTurn, target: Target = TARGET, **checks: bool) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = body([ASK, list(turns)], target, None, **checks)["contents"]
    return read[1:]


def head_of(target: Target, head: Head | None = None) -> dict[str, Any]:
    read = body([ASK], target, head)
    del read["contents"]
    return read


def warnings_of(target: Target, head: Head | None = None) -> tuple[str, ...]:
    return GEMINI.write_body(b'{"role":"user","parts":[{"text":"x"}]}', head or Head(), target).warnings


def with_options(target: Target = TARGET, google: GoogleOptions | None = None, **options: Any) -> Target:
    return replace(target, options=CallOptions(google=google, **options))


def replayed(name: str, target: Target = TARGET) -> list[dict[str, Any]]:
    turn = as_turn(decoded(sse(*ANSWERS[name])))
    return contents(turn, *answers(turn), target=target, vertex=target.route == "vertex")
