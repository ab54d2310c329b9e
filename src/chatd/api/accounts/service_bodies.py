"""The shapes of services, and of speaking for others."""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from chatd.accounts.services.services import END_USERS_MAX, PAGE_MAX
from chatd.accounts.services.speaking import EXTERNAL_ID_LENGTH_MAX, SECONDS_MAX, SECONDS_MIN
from chatd.accounts.users import NAME_LENGTH_MAX
from chatd.api.accounts.bodies import RatesBody
from chatd.api.accounts.user_bodies import DisplayName, UserName, UserView
from chatd.domain.people.acting import ActsFor
from chatd.domain.people.roles import UserRole
from chatd.live.shapes import Moment

ID_LENGTH_MAX = 100
ActsForField: TypeAlias = Annotated[
    ActsFor,
    Meta(
        description="For whom it may speak, with the header `X-Chatd-User`. `end_users`: for customers of a "
        "product whom only the service knows. `group`: for people in a group of this server."
    ),
]
GroupId = Annotated[str, Meta(max_length=ID_LENGTH_MAX)]
EndUsersMax = Annotated[
    int, Meta(ge=0, le=END_USERS_MAX, description="For how many end users it may speak in all.")
]
ServiceRates: TypeAlias = Annotated[
    RatesBody,
    Meta(
        description="How often it may ask in a minute, with all of its end users; what is not named, and "
        "null: as usual for services."
    ),
]
UserScope = Literal["chats:read", "chats:write", "files:write"]
# The longest of both: what a service calls an end user, and `@` with the name of a person.
Named = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=EXTERNAL_ID_LENGTH_MAX,
        description="As in the header `X-Chatd-User`: your own name for an end user, or `@` and a person's.",
    ),
]


class ListServices(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    after: Annotated[str, Meta(max_length=NAME_LENGTH_MAX, description="`next` of the page before.")] = ""
    limit: Annotated[int, Meta(ge=1, le=PAGE_MAX)] = 50


class CreateService(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[UserName, Meta(description="No other user has it, in whichever case its letters are.")]
    role: UserRole = UserRole.MEMBER
    display_name: DisplayName = ""
    acts_for: ActsForField = ActsFor.NOBODY
    group_id: Annotated[GroupId | None, Meta(description="With `acts_for` `group`: which one.")] = None
    end_users_max: EndUsersMax = END_USERS_MAX
    rates: ServiceRates | None = None


class PatchService(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is not named stays as it is."""

    role: UserRole | UnsetType = UNSET
    display_name: DisplayName | UnsetType = UNSET
    acts_for: ActsForField | UnsetType = UNSET
    group_id: GroupId | UnsetType | None = UNSET
    end_users_max: EndUsersMax | UnsetType = UNSET
    rates: ServiceRates | UnsetType | None = UNSET


class ServiceView(UserView, frozen=True, kw_only=True):
    acts_for: ActsFor
    group_id: str | None
    end_users: Annotated[int, Meta(description="How many it has spoken for, without those who were deleted.")]
    end_users_max: int
    rates: ServiceRates | None


class ServicePage(Struct, frozen=True, kw_only=True):
    services: Annotated[tuple[ServiceView, ...], Meta(description="In the order of their names.")]
    next: str | None = None


class ListEndUsers(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    external_id: Annotated[
        Annotated[str, Meta(max_length=EXTERNAL_ID_LENGTH_MAX)] | None,
        Meta(description="What the service calls the one who is looked for."),
    ] = None
    after: Annotated[
        str, Meta(max_length=EXTERNAL_ID_LENGTH_MAX, description="`next` of the page before.")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=PAGE_MAX)] = 50


class EndUserView(UserView, frozen=True, kw_only=True):
    external_id: Annotated[str, Meta(description="What the service calls them.")]


class EndUserPage(Struct, frozen=True, kw_only=True):
    users: Annotated[tuple[EndUserView, ...], Meta(description="In the order of `external_id`.")]
    next: str | None = None


class CreateUserToken(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    user: Named
    chat_id: Annotated[
        Annotated[str, Meta(max_length=ID_LENGTH_MAX)] | None,
        Meta(description="A chat of that user: the token is then good for it and those that work for it."),
    ] = None
    scopes: Annotated[
        tuple[UserScope, ...],
        Meta(min_length=1, max_length=3, description="What it may be used for."),
    ] = ("chats:read", "chats:write", "files:write")
    seconds: Annotated[
        int,
        Meta(ge=SECONDS_MIN, le=SECONDS_MAX, description="How long it counts; no longer than your token."),
    ] = 3600


class UserTokenView(Struct, frozen=True, kw_only=True):
    token: Annotated[str, Meta(description="Shown here, and never again.")]
    user_id: str
    expires_at: Moment
