"""Harmless tools for the scripted model: one for each way in which a tool can behave.

They are offered to no other model. What they do is to leave a line with a witness, so that a test can
count how often each has run, also from another process.
"""

import struct
import zlib
from pathlib import Path
from typing import Annotated, Protocol

from msgspec import Meta, Struct

from chatd.domain.call import Effect
from chatd.domain.ids import FileId
from chatd.domain.part import Json
from chatd.kit.clock import Clock
from chatd.kit.ids import new_id
from chatd.tools.arguments import typed
from chatd.tools.calls.time_limit import REST_SECONDS_MAX
from chatd.tools.tool import AnyTool, Attachment, Media, Question, Result, Setting, Tool, touches_nothing

SECONDS_MAX = 3600.0
PIECES_MAX = 1000
WIDTH_MAX = 1024

Seconds = Annotated[float, Meta(ge=0, le=SECONDS_MAX, description="How many seconds to take.")]


class Witness(Protocol):
    def saw(self, line: str) -> None:
        """Keep one line: the tool, the id of the call, and what it was about."""
        ...


class FileWitness:
    """Each line is in the file before the tool goes on, whatever happens to the process then."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def saw(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    @property
    def lines(self) -> list[str]:
        return self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    pass


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(description="Any text.")]


class Time(Struct, frozen=True, forbid_unknown_fields=True):
    seconds: Seconds


class Rest(Struct, frozen=True, forbid_unknown_fields=True):
    seconds: Annotated[
        float, Meta(ge=0, le=2 * REST_SECONDS_MAX, description="How many seconds to rest; a day at most.")
    ]


class WordsInTime(Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(description="Any text.")] = ""
    seconds: Seconds = 0.0


class Pieces(Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(description="What to show in each piece.")] = "a line"
    pieces: Annotated[int, Meta(ge=1, le=PIECES_MAX, description="How many pieces to show.")] = 3
    seconds: Annotated[float, Meta(ge=0, le=60, description="How many seconds between two pieces.")] = 0.0


class TextFile(Struct, frozen=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="What to call the file.")] = "notes.txt"
    text: Annotated[str, Meta(description="What is in the file.")] = "a line"
    seconds: Seconds = 0.0


class Painting(Struct, frozen=True, forbid_unknown_fields=True):
    text: Annotated[str, Meta(description="What it is called.")] = "a picture"
    width: Annotated[int, Meta(ge=1, le=WIDTH_MAX, description="As wide as high, in pixels.")] = 64
    seconds: Seconds = 0.0


class ExplosionError(RuntimeError):
    """What `explode` raises."""


def rehearsal_tools(witness: Witness | None, clock: Clock) -> tuple[AnyTool, ...]:
    play = _Play(witness, clock)
    return (
        Tool(
            name="echo",
            description="Give back the text.",
            arguments=typed(Words),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.echo,
        ),
        Tool(
            name="wait",
            description="Take some time and do nothing.",
            arguments=typed(Time),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.wait,
        ),
        Tool(
            name="rest",
            description="Take some time, and leave the slot of the chat to others meanwhile.",
            arguments=typed(Rest),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.rest,
        ),
        Tool(
            name="ask_model",
            description="Have the model of the chat answer the text, apart from the chat.",
            arguments=typed(Words),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.ask_model,
        ),
        Tool(
            name="remember",
            description="Note the text. Twice is no harm.",
            arguments=typed(WordsInTime),
            effect=Effect.REPEATABLE,
            touches=touches_nothing,
            run=play.remember,
        ),
        Tool(
            name="launch",
            description="Pretend to do something that must not be done twice.",
            arguments=typed(WordsInTime),
            effect=Effect.ONCE,
            touches=touches_nothing,
            run=play.launch,
        ),
        Tool(
            name="explode",
            description="Crash.",
            arguments=typed(WordsInTime),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.explode,
        ),
        Tool(
            name="show",
            description="Show some output, piece by piece.",
            arguments=typed(Pieces),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.show,
        ),
        Tool(
            name="attach",
            description="Hand a text file to the chat.",
            arguments=typed(TextFile),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.attach,
        ),
        Tool(
            name="picture",
            description="Show a picture.",
            arguments=typed(Painting),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.picture,
        ),
        Tool(
            name="alone",
            description="Insist on being the only call of a reply.",
            arguments=typed(Nothing),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.alone,
            exclusive=True,
        ),
        Tool(
            name="plan_done",
            description="End the turn.",
            arguments=typed(Nothing),
            effect=Effect.READ,
            touches=touches_nothing,
            run=play.plan_done,
            ends_turn=True,
        ),
    )


class _Play:
    """What each tool does. The witness comes first: a tool that is killed in the middle has run."""

    def __init__(self, witness: Witness | None, clock: Clock) -> None:
        self._witness = witness
        self._clock = clock

    def _saw(self, tool: str, setting: Setting, text: str = "") -> None:
        if self._witness is not None:
            self._witness.saw(f"{tool} {setting.call_id} {text}".rstrip())

    async def echo(self, args: Words, setting: Setting) -> Json:
        self._saw("echo", setting, args.text)
        return {"text": args.text}

    async def wait(self, args: Time, setting: Setting) -> Json:
        self._saw("wait", setting)
        await self._clock.sleep(args.seconds)
        return f"waited {args.seconds:g} seconds"

    async def rest(self, args: Rest, setting: Setting) -> Json:
        self._saw("rest", setting)
        async with setting.resting():
            await self._clock.sleep(args.seconds)
        return f"rested {args.seconds:g} seconds"

    async def ask_model(self, args: Words, setting: Setting) -> Json:
        self._saw("ask_model", setting)
        return {"text": await setting.ask_model(Question(text=args.text))}

    async def remember(self, args: WordsInTime, setting: Setting) -> Json:
        self._saw("remember", setting, args.text)
        await self._clock.sleep(args.seconds)
        return f"remembered: {args.text}"

    async def launch(self, args: WordsInTime, setting: Setting) -> Json:
        self._saw("launch", setting, args.text)
        await self._clock.sleep(args.seconds)
        return f"launched: {args.text}"

    async def explode(self, args: WordsInTime, setting: Setting) -> Json:
        self._saw("explode", setting, args.text)
        await self._clock.sleep(args.seconds)
        raise ExplosionError(args.text or "boom")

    async def show(self, args: Pieces, setting: Setting) -> Json:
        self._saw("show", setting, args.text)
        for number in range(1, args.pieces + 1):
            await self._clock.sleep(args.seconds)
            setting.show(f"{args.text} {number}\n")
        return f"showed {args.pieces} pieces"

    async def attach(self, args: TextFile, setting: Setting) -> Json:
        self._saw("attach", setting, args.name)
        await self._clock.sleep(args.seconds)
        file = Attachment(
            id=FileId(new_id()), name=args.name, media_type="text/plain", data=args.text.encode()
        )
        return Result(value={"file_id": file.id, "name": file.name}, attachments=(file,))

    async def picture(self, args: Painting, setting: Setting) -> Json:
        self._saw("picture", setting, args.text)
        await self._clock.sleep(args.seconds)
        return Media(data=_png(args.width), media_type="image/png", text=args.text)

    async def alone(self, _: Nothing, setting: Setting) -> Json:
        self._saw("alone", setting)
        return "done"

    async def plan_done(self, _: Nothing, setting: Setting) -> Json:
        self._saw("plan_done", setting)
        return "done"


def _png(width: int) -> bytes:
    """A square that goes from dark to light, in one byte for each pixel, hardly packed: its size is real."""
    rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(width)) for y in range(width))
    header = struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
