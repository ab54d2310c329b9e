"""The shapes of public links, as owners see them. What guests see is in `api/guests/`."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.api.bodies import RequestBody
from chatd.domain.people.links import LINK_DAYS, LINK_DAYS_MAX, Included
from chatd.live.shapes import Moment

Days = Annotated[
    int, Meta(ge=1, le=LINK_DAYS_MAX, description="In how many days it ends by itself, counted from now on.")
]
Include = Annotated[
    tuple[Included, ...],
    Meta(
        max_length=len(Included),
        description="What guests see beside words: `reasoning` of the agent; `tools`: calls with their "
        "arguments, results, sources; `files`. Of what a tool has shown, both.",
    ),
]
Live = Annotated[
    bool,
    Meta(
        description="Whether guests see what is said from now on, as it is said. Otherwise they see what is "
        "there now, as long as it is in the history."
    ),
]


class MakeLink(RequestBody, frozen=True, kw_only=True):
    days: Days = LINK_DAYS
    live: Live = False
    include: Include = ()


class ChangeLink(RequestBody, frozen=True, kw_only=True):
    """What is not named stays as it is."""

    days: Days | UnsetType = UNSET
    live: Live | UnsetType = UNSET
    include: Include | UnsetType = UNSET


class LinkView(Struct, frozen=True, kw_only=True):
    """Without its code, which was shown once."""

    id: str
    made_by: str
    made_at: Moment
    expires_at: Moment
    live: bool
    include: tuple[Included, ...]
    opened: Annotated[int, Meta(description="How often it was opened, to about a minute.")]


class NewLinkView(LinkView, frozen=True, kw_only=True):
    code: Annotated[
        str,
        Meta(description="Whoever has it reads the chat: open `/s#CODE`. Shown here, and never again."),
    ]


class LinkList(Struct, frozen=True, kw_only=True):
    """Those that have not ended, in the order in which they were made."""

    links: tuple[LinkView, ...]
