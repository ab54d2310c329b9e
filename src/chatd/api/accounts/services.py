"""Services, for administrators; and tokens that a service makes for those for whom it speaks."""

from collections.abc import Mapping

from chatd.accounts.lives.stopping import stop_agents
from chatd.accounts.services.services import (
    EndUser,
    NewService,
    Service,
    ServiceChange,
    change_service,
    create_service,
    find_service,
    list_end_users,
    list_services,
)
from chatd.accounts.services.speaking import UserTokenWanted, add_user_token, is_spoken_name, spoken_for
from chatd.accounts.users import User
from chatd.api import checks
from chatd.api.accounts.bodies import RatesBody, rates_body
from chatd.api.accounts.service_bodies import (
    CreateService,
    CreateUserToken,
    EndUserPage,
    EndUserView,
    ListEndUsers,
    ListServices,
    PatchService,
    ServicePage,
    ServiceView,
    UserTokenView,
)
from chatd.api.accounts.tokens import check_scopes
from chatd.api.accounts.users import user_view
from chatd.api.bodies import Nothing
from chatd.api.checks import something_to_change
from chatd.api.router import Asked
from chatd.api.serving.callers.permits import chat_not_found
from chatd.api.serving.callers.speaking import cannot_act_as
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.rates import NO_RATES
from chatd.domain.people.roles import UserKind, UserRole
from chatd.domain.people.scopes import TokenScope
from chatd.errors import BadInput
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain
from chatd.storage.reads.read import read_chat


async def list_(asked: Asked[ListServices, Nothing]) -> ServicePage:
    query = asked.query
    found = await list_services(asked.store.db, after=query.after, limit=query.limit + 1)
    page = found[: query.limit]
    more = page[-1].profile.user.name if len(found) > query.limit else None
    return ServicePage(services=tuple(map(_view, page)), next=more)


async def add(asked: Asked[Nothing, CreateService]) -> ServiceView:
    """It has no token yet: an administrator makes one for it."""
    body = asked.body
    if body.display_name:
        checks.plain(body.display_name, "display_name")
    new = NewService(
        name=body.name,
        role=body.role,
        display_name=body.display_name,
        acts_for=body.acts_for,
        group_id=body.group_id,
        end_users_max=body.end_users_max,
        rates=body.rates.rates if body.rates is not None else NO_RATES,
    )
    return _view(await create_service(asked.store.db, new, by=asked.by))


async def show(asked: Asked[Nothing, Nothing]) -> ServiceView:
    return _view(await find_service(asked.store.db, _service_in(asked.path)))


async def patch(asked: Asked[Nothing, PatchService]) -> ServiceView:
    """For whom it does not speak any more, it does not from now on."""
    fields = something_to_change(asked.body)
    if fields.get("display_name"):
        checks.plain(fields["display_name"], "display_name")
    if "rates" in fields:
        rates = asked.body.rates
        fields["rates"] = rates.rates if isinstance(rates, RatesBody) else NO_RATES
    changed = await change_service(
        asked.store.db, _service_in(asked.path), ServiceChange(**fields), by=asked.by
    )
    asked.server.access_changed(changed.id)
    if changed.profile.user.role is UserRole.VIEWER:
        await stop_agents(asked.store, changed.id)
    return _view(changed)


async def end_users(asked: Asked[ListEndUsers, Nothing]) -> EndUserPage:
    query, db = asked.query, asked.store.db
    service = await find_service(db, _service_in(asked.path))
    found = await list_end_users(
        db, service.id, external_id=query.external_id, after=query.after, limit=query.limit + 1
    )
    page = found[: query.limit]
    more = page[-1].external_id if len(found) > query.limit else None
    return EndUserPage(users=tuple(map(_end_user_view, page)), next=more)


async def add_token(asked: Asked[Nothing, CreateUserToken]) -> UserTokenView:
    """For the page of a product: it holds no secret of the service, and what it holds ends soon."""
    body, caller, db = asked.body, asked.known, asked.store.db
    if caller.user.kind is not UserKind.SERVICE:
        raise cannot_act_as("Only a service can make tokens for others.")
    scopes = frozenset(map(TokenScope, body.scopes))
    check_scopes(scopes, caller.standing.scopes)
    if not is_spoken_name(body.user):
        raise BadInput("bad_value", "`user` cannot be the name of a user.", field="user")
    user = await spoken_for(db, caller.user, body.user, by=asked.by)
    if user is None:
        raise cannot_act_as("This service does not speak for such a user.")
    wanted = UserTokenWanted(
        scopes=scopes,
        seconds=body.seconds,
        family=await _family(asked, user) if body.chat_id is not None else None,
        not_after=caller.expires_at,
    )
    made = await add_user_token(db, caller.user, user, wanted, by=asked.by)
    asked.server.callers.expect(made.token)
    return UserTokenView(token=made.token, user_id=user.id, expires_at=rfc3339(made.expires_at))


async def _family(asked: Asked[Nothing, CreateUserToken], user: User) -> ChatId:
    """Of a chat that is the user's own. Raises NotFound."""
    chat_id = ChatId(asked.body.chat_id or "")
    chat = await read_chat(asked.store.db, chat_id) if is_plain(chat_id) else None
    if chat is None or chat.owner_id != user.id:
        raise chat_not_found(chat_id)
    return chat.family


def _service_in(path: Mapping[str, str]) -> UserId:
    return UserId(path["user_id"])


def _view(service: Service) -> ServiceView:
    view = user_view(service.profile)
    return ServiceView(
        **{name: getattr(view, name) for name in view.__struct_fields__},
        acts_for=service.acts_for,
        group_id=service.group_id,
        end_users=service.end_users,
        end_users_max=service.end_users_max,
        rates=rates_body(service.rates),
    )


def _end_user_view(end_user: EndUser) -> EndUserView:
    view = user_view(end_user.profile)
    return EndUserView(
        **{name: getattr(view, name) for name in view.__struct_fields__}, external_id=end_user.external_id
    )
