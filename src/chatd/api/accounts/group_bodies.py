"""The shapes of groups."""

from typing import Annotated

from msgspec import Meta, Struct

from chatd.accounts.groups import PAGE_MAX, GroupSource
from chatd.accounts.users import NAME_LENGTH_MAX
from chatd.api.accounts.user_bodies import Find, UserView
from chatd.live.shapes import Moment

GroupName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=NAME_LENGTH_MAX,
        description="No other group has it, in whichever case its letters are.",
    ),
]
After = Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="`next` of the page before.")]


class ListGroups(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="A part of the name.")] = ""
    find: Find | None = None
    after: After = ""
    limit: Annotated[int, Meta(ge=1, le=PAGE_MAX)] = 50


class SaveGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: GroupName


class GroupView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    source: Annotated[
        GroupSource,
        Meta(description="`local`: made here. `oidc`: the identity provider says who is in it."),
    ]
    members: int
    created_at: Moment


class GroupNameView(Struct, frozen=True, kw_only=True):
    id: str
    name: str


class GroupPage(Struct, frozen=True, kw_only=True):
    groups: Annotated[tuple[GroupView, ...], Meta(description="In the order of their names.")]
    names: Annotated[tuple[GroupNameView, ...], Meta(description="With `find`: those that were found.")] = ()
    next: str | None = None


class ListMembers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    after: After = ""
    limit: Annotated[int, Meta(ge=1, le=PAGE_MAX)] = 50


class MemberPage(Struct, frozen=True, kw_only=True):
    users: Annotated[tuple[UserView, ...], Meta(description="In the order of their names.")]
    next: str | None = None
