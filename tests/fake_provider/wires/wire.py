"""What every wire format has to know, and what all of them share: seals that must come back unbroken."""

import base64
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from chatd.domain.part import Json
from tests.fake_provider.script import Answer
from tests.fake_provider.troubles import Complaint, Fault

# Three bytes become four letters, so that everything that begins alike still does so when it is encoded.
_MARK = b"opaque:::"
_OPAQUE = re.compile(rf"{base64.b64encode(_MARK).decode()}|[a-z]+_given")

SSE = "text/event-stream"
AWS = "application/vnd.amazon.eventstream"


class Asked(Struct, frozen=True, kw_only=True):
    """A request, as it may be shown to anyone: keys are hidden."""

    # Counting from 1.
    number: int
    wire: str
    path: str
    # Names in lower case.
    headers: Mapping[str, str]
    body: Json
    raw: bytes
    model: str
    streamed: bool


class Form(Struct, frozen=True):
    """How a fault is put: the status, and the provider's word for it."""

    status: int
    code: str


class Wire(ABC):
    """One wire format at one provider, which remembers what it has given out."""

    name: ClassVar[str]
    content_type: ClassVar[str] = SSE
    forms: ClassVar[Mapping[Fault, Form]]

    def __init__(self) -> None:
        self.given: set[str] = set()

    @abstractmethod
    def frames(self, answer: Answer, asked: Asked) -> list[bytes]:
        """The answer as a stream."""

    @abstractmethod
    def whole(self, answer: Answer, asked: Asked) -> Json:
        """The answer in one piece."""

    @abstractmethod
    def unknown(self) -> Sequence[bytes]:
        """See `Voice`."""

    @abstractmethod
    def malformed(self) -> bytes:
        """See `Voice`."""

    @abstractmethod
    def fault(self, fault: Fault, words: str) -> bytes:
        """See `Voice`."""

    @abstractmethod
    def complaint(self, complaint: Complaint) -> tuple[dict[str, str], Json]:
        """Headers and body of an error, in the provider's own form."""

    @abstractmethod
    def problems(self, asked: Asked) -> list[str]:
        """Everything for which the provider would refuse the request."""

    def refusal(self, asked: Asked) -> Complaint | None:
        """Why this is not answered, if it is not."""
        found = [*self.problems(asked), *self._forged(asked.body)]
        return Complaint(fault=Fault.BAD_REQUEST, words="; ".join(found)) if found else None

    def form(self, complaint: Complaint) -> Form:
        usual = self.forms[complaint.fault]
        return Form(complaint.status or usual.status, complaint.code or usual.code)

    def seal(self, kind: str, text: str) -> str:
        """Something that only this provider understands, and wants back exactly as it was."""
        owner = f"{self.name}:{kind}:".encode()
        padded = owner + b" " * (-len(owner) % 3)
        return self._gave(base64.b64encode(_MARK + padded + text.encode()).decode())

    def identity(self, prefix: str, *places: object) -> str:
        """A name that means something to this provider alone."""
        return self._gave(f"{prefix}_given{'x'.join(str(place) for place in places)}")

    def _gave(self, opaque: str) -> str:
        self.given.add(opaque)
        return opaque

    def _forged(self, body: Json) -> list[str]:
        return [f"{text!r} was never given out here" for text in opaque_in(body) if text not in self.given]


def opaque_in(value: Json) -> Iterator[str]:
    """Everything within that only some provider understands."""
    match value:
        case str() if _OPAQUE.match(value):
            yield value
        case dict():
            for inner in value.values():
                yield from opaque_in(inner)
        case list():
            for inner in value:
                yield from opaque_in(inner)
        case _:
            return
