"""The shapes of users."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.accounts.groups import GROUPS_OF_USER_MAX
from chatd.accounts.users import DISPLAY_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, NAME_LENGTH_MAX, USERS_MAX
from chatd.accounts.ways_in.passwords.rules import LENGTH_MAX, LENGTH_MIN
from chatd.domain.people.roles import UserKind, UserRole
from chatd.live.shapes import Moment

# Fewer would list everybody, letter by letter.
FIND_LENGTH_MIN = 2
# Longer than one may be, so that we say what is wrong with it.
Password = Annotated[str, Meta(min_length=1, max_length=2 * LENGTH_MAX)]
ID_LENGTH_MAX = 100
UserName = Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH_MAX)]
Email = Annotated[
    str,
    Meta(
        pattern=r"^[^\s@]+@[^\s@]+$",
        max_length=EMAIL_LENGTH_MAX,
        description="An address of which you know that it is the user's own: with `link_by_email`, who has "
        "it at the identity provider is this user.",
    ),
]
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
    email: Email | None = None
    groups: Annotated[
        tuple[Annotated[str, Meta(max_length=ID_LENGTH_MAX)], ...],
        Meta(max_length=GROUPS_OF_USER_MAX, description="Ids of groups in which they are from the start."),
    ] = ()
    invite: Annotated[bool, Meta(description="Whether there is to be a code, good for seven days.")] = True


class PatchUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not named stays as it is."""

    role: UserRole | UnsetType = UNSET
    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType | None = UNSET
    password: Annotated[
        UnsetType | None, Meta(description="Null takes the password away. Only users choose theirs.")
    ] = UNSET


class ChoosePassword(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    old: Annotated[Password | None, Meta(description="Needed if there is one.")] = None
    new: Annotated[
        Password,
        Meta(
            description=f"{LENGTH_MIN} to {LENGTH_MAX} characters; not your name, and none of the commonest."
        ),
    ]

    def __repr__(self) -> str:
        return "ChoosePassword(…)"


class PatchOwnAccount(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not named stays as it is."""

    display_name: DisplayName | UnsetType = UNSET
    password: Annotated[
        ChoosePassword | UnsetType,
        Meta(description="Signs your other browsers out. Not with a token that is for less than everything."),
    ] = UNSET


class DeleteUser(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chats: Annotated[
        Literal["transfer", "archive", "erase"] | None,
        Meta(
            description="What becomes of their chats, to be said. `transfer`: they are somebody else's. "
            "`archive`: they are put away. `erase`: they are deleted."
        ),
    ] = None
    to: Annotated[
        Annotated[str, Meta(max_length=ID_LENGTH_MAX)] | None,
        Meta(description="With `transfer`: the id of who gets them."),
    ] = None


class UserView(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    display_name: str
    email: str | None
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
