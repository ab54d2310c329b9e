"""What goes wrong, on demand: with an answer while it is given, and instead of one."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from enum import Enum, StrEnum, auto
from typing import Literal, Protocol, TypeAlias

from msgspec import Struct


class Gesture(Enum):
    # Nothing more comes, and the connection stays open.
    HANG = auto()
    DROP = auto()


# Bytes are said, numbers are seconds of silence.
Move: TypeAlias = bytes | float | Gesture


class Fault(StrEnum):
    """What a provider may complain of; how it puts that is a matter of its wire."""

    BAD_REQUEST = "bad request"
    BAD_KEY = "bad key"
    FORBIDDEN = "forbidden"
    NO_SUCH_MODEL = "no such model"
    RATE_LIMIT = "rate limit"
    OVERLOADED = "overloaded"
    SERVER = "server"


class Voice(Protocol):
    """What a trouble needs to know of the wire."""

    def unknown(self) -> Sequence[bytes]:
        """Frames that nobody has ever heard of, in the form of those that everybody knows."""
        ...

    def malformed(self) -> bytes:
        """A frame of a known kind that cannot be read."""
        ...

    def fault(self, fault: Fault, words: str) -> bytes:
        """An error in the midst of an answer that began well."""
        ...


class SlowStart(Struct, frozen=True):
    seconds: float

    def disturb(self, frames: Sequence[bytes], voice: Voice) -> list[Move]:
        return [self.seconds, *frames]


class Silence(Struct, frozen=True):
    """After so many frames, for so long; without an end, if nothing is said."""

    after: int
    seconds: float | None = None

    def disturb(self, frames: Sequence[bytes], voice: Voice) -> list[Move]:
        if self.seconds is None:
            return [*frames[: self.after], Gesture.HANG]
        return [*frames[: self.after], self.seconds, *frames[self.after :]]


class Cut(Struct, frozen=True):
    """The connection is lost after so many bytes; or the answer ends there as if that were all."""

    at: int
    politely: bool = False

    def disturb(self, frames: Sequence[bytes], voice: Voice) -> list[Move]:
        begun = b"".join(frames)[: self.at]
        return [begun] if self.politely else [begun, Gesture.DROP]


class Malformed(Struct, frozen=True):
    after: int

    def disturb(self, frames: Sequence[bytes], voice: Voice) -> list[Move]:
        return [*frames[: self.after], voice.malformed(), *frames[self.after :]]


class Unknown(Struct, frozen=True):
    """Things that nobody has heard of, before each frame."""

    def disturb(self, frames: Sequence[bytes], voice: Voice) -> list[Move]:
        return [move for frame in frames for move in (*voice.unknown(), frame)]


class Breaks(Struct, frozen=True):
    """An error inside of a success."""

    after: int
    fault: Fault = Fault.OVERLOADED
    words: str = "Something broke."

    def disturb(self, frames: Sequence[bytes], voice: Voice) -> list[Move]:
        return [*frames[: self.after], voice.fault(self.fault, self.words)]


Trouble: TypeAlias = SlowStart | Silence | Cut | Malformed | Unknown | Breaks


# Instead of an answer.


class Complaint(Struct, frozen=True, kw_only=True):
    """An error in the provider's own form, perhaps with a hint when to come back."""

    fault: Fault
    words: str = "That did not work."
    # Where the fault alone does not say it.
    status: int | None = None
    code: str | None = None
    retry: "Hint | None" = None


class Html(Struct, frozen=True):
    """What something between us and the provider says."""

    status: int = 502
    page: str = "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"


class Lost(Struct, frozen=True):
    """The connection ends before a byte."""


class Hint(Struct, frozen=True):
    """When to come back, in one of the forms that providers use."""

    form: Literal[
        "seconds", "date", "milliseconds", "anthropic reset", "openai reset", "retry info", "litellm"
    ]
    seconds: float

    @property
    def headers(self) -> dict[str, str]:
        return _HEADERS[self.form](self.seconds)

    @property
    def details(self) -> list[Mapping[str, object]]:
        """What Google says in the body."""
        if self.form != "retry info":
            return []
        delay = f"{self.seconds:g}s"
        return [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]


def _moment(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)


def _anthropic_reset(seconds: float) -> dict[str, str]:
    return {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": f"{_moment(seconds):%Y-%m-%dT%H:%M:%SZ}",
        "anthropic-ratelimit-tokens-remaining": "1000",
        "anthropic-ratelimit-tokens-reset": f"{_moment(seconds + 1000):%Y-%m-%dT%H:%M:%SZ}",
    }


def _openai_reset(seconds: float) -> dict[str, str]:
    minutes, rest = divmod(seconds, 60)
    return {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": f"{int(minutes)}m{rest:g}s" if minutes else f"{rest:g}s",
        "x-ratelimit-remaining-tokens": "1000",
        "x-ratelimit-reset-tokens": "17m0s",
    }


_HEADERS: Mapping[str, Callable[[float], dict[str, str]]] = {
    "seconds": lambda seconds: {"retry-after": f"{seconds:g}"},
    "date": lambda seconds: {"retry-after": format_datetime(_moment(seconds), usegmt=True)},
    "milliseconds": lambda seconds: {"retry-after-ms": f"{seconds * 1000:g}", "retry-after": "3600"},
    "anthropic reset": _anthropic_reset,
    "openai reset": _openai_reset,
    "litellm": lambda seconds: {"llm_provider-retry-after": f"{seconds:g}"},
    "retry info": lambda _: {},
}
