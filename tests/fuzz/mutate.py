"""Whole answers, damaged: in their JSON, in their frames, in their bytes, and in how they are cut."""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

from chatd.providers.transport.sse import Frame
from tests.fuzz.wires import Wire

Json: TypeAlias = Any

# Seldom, because it is slow: a frame many times over, a text that is very long.
SELDOM = 0.004
REPEATED_MAX = 1500
LONG_CHARACTERS = 200_000

# What json.dumps cannot write stands in the JSON as one of these texts, and is put there as bytes.
_SPELLED = {
    "@deep-60@": b"[" * 60 + b"]" * 60,
    "@deep-970@": b'{"a":' * 970 + b"1" + b"}" * 970,
    "@deep-9000@": b"[" * 9000 + b"]" * 9000,
    "@digits@": b"9" * 5000,
    "@infinite@": b"1e400",
    "@nan@": b"NaN",
    "@half@": b'"\\ud83d"',
    "@other-half@": b'"\\ude00 \\ud83d\\u0000"',
}
_ODD_VALUES: Sequence[Json] = (
    *_SPELLED,
    None,
    True,
    False,
    0,
    1,
    -1,
    2**31,
    -(2**63),
    2**64,
    10**400,
    1.5,
    -0.0,
    1e308,
    "",
    " ",
    "\0",
    "x",
    "0",
    "{}",
    '{"a":1,"a":2}',
    '{"a":',
    "💥\u202e",
    "</thought>",
    "call_1",
    "../../etc",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": None},
    {"type": "text", "text": "t"},
)
_ODD_TEXTS = [value for value in _ODD_VALUES if isinstance(value, str) and value not in _SPELLED] + [
    "@half@",
    "@other-half@",
]
# Words that mean something in some dialect, each time in the wrong place.
_ODD_WORDS = (
    "error", "text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "web_search_tool_result",
    "text_delta", "input_json_delta", "signature_delta", "citations_delta", "message", "message_stop",
    "reasoning", "function_call", "custom_tool_call", "web_search_call", "computer_call", "mcp_call",
    "image_generation_call", "output_text", "refusal", "incomplete", "failed", "stop", "length", "tool_calls",
    "content_filter", "end_turn", "pause_turn", "max_tokens", "STOP", "SAFETY", "MALFORMED_FUNCTION_CALL",
    "guardrail_intervened", "malformed_tool_use", "function", "reasoning.encrypted", "$.a[0].b", "$.a[9]",
)  # fmt: skip
_ODD_DATA = (
    b"", b"null", b"17", b"[]", b"{}", b'""', b"[DONE]", b" [DONE]", b"not json", b"{", b"\xff\xfe", b"\x00",
    b'{"type":"brand_new","index":0}', b'{"error":{}}', b'{"error":"x"}', b'{"error":null}',
    b'[{"error":{}}]', b'{"type":"error"}',
    b'{"choices":[null]}', b'{"candidates":[{}]}', b'{"delta":{}}', b'{"a":1}{"a":2}',
)  # fmt: skip
_ODD_NAMES = (
    b"",
    b"message",
    b"error",
    b"brand_new",
    b"oddException",
    b"\xff",
    b"response.completed",
    b"x" * 300,
)


def mutated(wire: Wire, random: Random) -> list[bytes]:
    """One damaged answer, in the portions in which it comes."""
    frames = list(random.choice(wire.answers))
    for _ in range(_few(random)):
        random.choice(_FRAME_DAMAGE)(frames, wire, random)
    data = bytearray(wire.write(frames))
    if random.random() < (0.1 if wire.guarded else 0.25):
        for _ in range(_few(random)):
            random.choice(_BYTE_DAMAGE)(data, random)
    if random.random() < 0.1:
        del data[random.randint(0, len(data)) :]
    return portions(bytes(data), random)


def portions(data: bytes, random: Random) -> list[bytes]:
    """The bytes, cut anywhere; now and then into single ones."""
    how = random.random()
    if how < 0.3:
        return [data]
    if how < 0.35 and len(data) < 5000:
        return [data[at : at + 1] for at in range(len(data))]
    places = sorted(random.randint(0, len(data)) for _ in range(random.randint(1, 30)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


def _few(random: Random) -> int:
    """Often one, seldom many: with too much damage nothing is read far enough to go wrong."""
    return min(1 + int(random.expovariate(0.7)), 12)


# Frames.

Frames: TypeAlias = list[Frame]


def _drop(frames: Frames, _: Wire, random: Random) -> None:
    if frames:
        del frames[random.randrange(len(frames))]


def _double(frames: Frames, _: Wire, random: Random) -> None:
    if frames:
        at = random.randrange(len(frames))
        times = random.randint(50, REPEATED_MAX) if random.random() < SELDOM else 1
        frames[at:at] = [frames[at]] * times


def _move(frames: Frames, _: Wire, random: Random) -> None:
    if frames:
        frame = frames.pop(random.randrange(len(frames)))
        frames.insert(random.randint(0, len(frames)), frame)


def _swap(frames: Frames, _: Wire, random: Random) -> None:
    if frames:
        one, other = random.randrange(len(frames)), random.randrange(len(frames))
        frames[one], frames[other] = frames[other], frames[one]


def _interleave(frames: Frames, wire: Wire, random: Random) -> None:
    """Two answers at once, each in its own order."""
    others = list(random.choice(wire.answers))
    ours, frames[:] = list(frames), []
    while ours or others:
        source = others if not ours or (others and random.random() < 0.5) else ours
        frames.append(source.pop(0))


def _splice(frames: Frames, wire: Wire, random: Random) -> None:
    """An answer whose end is another's."""
    others = random.choice(wire.answers)
    frames[random.randint(0, len(frames)) :] = others[random.randint(0, len(others)) :]


def _rename(frames: Frames, wire: Wire, random: Random) -> None:
    if frames:
        at = random.randrange(len(frames))
        names = [name for name, _ in random.choice(wire.answers)]
        name = random.choice(names) if random.random() < 0.5 else random.choice(_ODD_NAMES)
        frames[at] = (name, frames[at][1])


def _insert(frames: Frames, _: Wire, random: Random) -> None:
    name = random.choice([*_ODD_NAMES, *(name for name, _ in frames)])
    frames.insert(random.randint(0, len(frames)), (name, random.choice(_ODD_DATA)))


def _change(frames: Frames, wire: Wire, random: Random) -> None:
    """Another value somewhere in the JSON of a frame."""
    places = [at for at, (_, data) in enumerate(frames) if data.startswith((b"{", b"["))]
    if not places:
        return
    at = random.choice(places)
    name, data = frames[at]
    try:
        value = json.loads(data)
        for _ in range(_few(random)):
            value = _changed(value, wire, random)
        frames[at] = (name, _written(value, random))
    except (ValueError, RecursionError):
        # It was damaged before, and is more than enough now.
        return


_FRAME_DAMAGE: Sequence[Callable[[Frames, Wire, Random], None]] = (
    # By far the most likely to get past the first look.
    *([_change] * 10),
    _drop,
    _double,
    _move,
    _swap,
    _interleave,
    _splice,
    _rename,
    _insert,
)


# JSON.


def _changed(value: Json, wire: Wire, random: Random) -> Json:
    spots = list(_spots(value))
    if not spots:
        return _odd(random)
    holder, key = random.choice(spots)
    match random.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 1:
            holder[random.choice(("type", "id", "index", "zzz", ""))] = holder[key]
        case 2:
            holder[key] = _borrowed(wire, random)
        case _:
            holder[key] = _odd(random, holder[key])
    return value


def _odd(random: Random, before: Json = None) -> Json:
    if random.random() < SELDOM:
        return "long " * (LONG_CHARACTERS // 5)
    if random.random() < 0.6:
        # Of the same type: whoever only looks at types lets it through.
        match before:
            case str():
                return random.choice(_ODD_WORDS if random.random() < 0.6 else _ODD_TEXTS)
            case int():
                return before + random.choice((-2, -1, 1, 2, 10**13))
            case _:
                pass
    # Anew each time, because it may be changed in its turn.
    value = random.choice(_ODD_VALUES)
    return json.loads(json.dumps(value)) if isinstance(value, list | dict) else value


def _borrowed(wire: Wire, random: Random) -> Json:
    """A value from somewhere else: an id that is taken, an object where a text should be."""
    _, data = random.choice(random.choice(wire.answers))
    try:
        value = json.loads(data)
    except ValueError:
        return None
    spots = list(_spots(value))
    if not spots:
        return value
    holder, key = random.choice(spots)
    return holder[key]


def _spots(value: Json) -> Sequence[tuple[Json, Any]]:
    """Every place in it: what holds it, and under which key."""
    found: list[tuple[Json, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys: Any = (
            holder if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        )
        for key in keys:
            found.append((holder, key))
            waiting.append(holder[key])
    return found


def _written(value: Json, random: Random) -> bytes:
    written = json.dumps(value, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")
    if b'"@' in written:
        for name, spelled in _SPELLED.items():
            written = written.replace(f'"{name}"'.encode(), spelled)
    if random.random() < 0.05 and written.startswith(b'{"'):
        # A key that is there twice.
        written = written[:-1] + b"," + written[1:]
    return written


# Bytes.


def _flip(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _put(data: bytearray, random: Random) -> None:
    odd = random.choice(
        (b"\n", b"\n\n", b"\r", b"\r\n\r\n", b":", b"data:", b"\xef\xbb\xbf", b"\x00", b'"', b"}")
    )
    at = random.randint(0, len(data))
    data[at:at] = odd if random.random() < 0.7 else random.randbytes(random.randint(1, 20))


def _remove(data: bytearray, random: Random) -> None:
    at = random.randint(0, len(data))
    del data[at : at + random.randint(1, 40)]


def _repeat(data: bytearray, random: Random) -> None:
    at = random.randint(0, len(data))
    piece = data[at : at + random.randint(1, 400)]
    to = random.randint(0, len(data))
    data[to:to] = piece


_ODD_BYTES = (b"\n", b"\n\n", b"\r", b"\r\n\r\n", b":", b"data:", b"\xef\xbb\xbf", b"\x00", b'"', b"}")

_BYTE_DAMAGE: Sequence[Callable[[bytearray, Random], None]] = (_flip, _put, _remove, _repeat)
