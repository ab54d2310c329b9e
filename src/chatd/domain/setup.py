"""What the caller of the API sets a chat up with: stored as one JSON value, and read only where it is needed.

A field is added to `Setup` and `SetupChange`, to the body of the API and where it is used; storage knows
neither. Rules for change: add fields with a default; never change what a field means.
"""

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from chatd.domain.limits import CLIENT_ANSWER_SECONDS
from chatd.domain.part import Json


class ClientTool(Struct, frozen=True, kw_only=True):
    """A tool that the caller of the API offers and runs."""

    name: str
    description: str = ""
    input_schema: Json = None


class Setup(Struct, frozen=True, kw_only=True, omit_defaults=True):
    client_tools: tuple[ClientTool, ...] = ()
    # How long the client may take to run its tools; None: as long as it likes.
    client_deadline_seconds: int | None = CLIENT_ANSWER_SECONDS
    # The caller's system prompt; empty: none.
    instructions: str = ""


class SetupChange(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The same fields. One that is not set stays as it is."""

    client_tools: tuple[ClientTool, ...] | UnsetType = UNSET
    client_deadline_seconds: int | UnsetType | None = UNSET
    instructions: str | UnsetType = UNSET


NO_SETUP = Setup()


def changed(setup: Setup, change: SetupChange) -> Setup:
    return replace(setup, **{name: value for name, value in asdict(change).items() if value is not UNSET})
