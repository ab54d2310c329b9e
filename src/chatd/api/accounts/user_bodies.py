"""The shapes of users."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.accounts.users import DISPLAY_NAME_LENGTH_MAX, NAME_LENGTH_MAX, USERS_MAX
from chatd.domain.people.roles import UserKind, UserRole
from chatd.live.shapes import Moment

# Fewer would list everybody, letter by letter.
FIND_LENGTH_MIN = 2
UserName = Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH_MAX)]
DisplayName = Annotated[str, Meta(max_length=DISPLAY_NAME_LENGTH_MAX)]
Code = Annotated[
    str,
    Meta(description="Signs a browser in, once: open `/sign-in#CODE`. Shown here, and never again."),
]


Find = Annotated[
    str,
    Meta(
        min_length=FIND_LENGTH_MIN,
        max_length=NAME_LENGTH_MAX,
        description="Who to share with: a part of the name, of at least two letters. Nothing else is told.",
    ),
]


class ListUsers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="A part of the name.")] = ""
    find: Find | None = None
    role: UserRole | None = None
    state: Literal["active", "suspended"] | None = None
    kind: Literal["person", "service"] | None = None
    after: Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="`next` of the page before.")] = ""
    limit: Annotated[int, Meta(ge=1, le=USERS_MAX)] = 50


class CreateUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[UserName, Meta(description="No other user has it, in whichever case its letters are.")]
    role: UserRole = UserRole.MEMBER
    display_name: DisplayName = ""
    invite: Annotated[bool, Meta(description="Whether there is to be a code, good for seven days.")] = True


class PatchUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not named stays as it is."""

    role: UserRole | UnsetType = UNSET
    display_name: DisplayName | UnsetType = UNSET


class PatchOwn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    display_name: DisplayName


class DeleteUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chats: Annotated[
        Literal["archive"] | None,
        Meta(description="What becomes of their chats; it has to be said. `archive`: they are put away."),
    ] = None


class UserView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    display_name: str
    role: UserRole
    kind: UserKind
    created_at: Moment
    suspended_at: Moment | None


class UserNameView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    display_name: str


class NewUserView(UserView, frozen=True, kw_only=True):
    code: Code | None


class UserPage(Struct, frozen=True, kw_only=True):
    users: Annotated[tuple[UserView, ...], Meta(description="In the order of their names.")]
    names: Annotated[
        tuple[UserNameView, ...], Meta(description="With `find`: up to 20 active people, and no one else.")
    ] = ()
    next: str | None = None


class CodeView(Struct, frozen=True, kw_only=True):
    code: Annotated[Code, Meta(description="For an hour.")]
