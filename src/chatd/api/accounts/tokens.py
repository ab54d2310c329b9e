"""Tokens, for programs: a user's own, and those of others for administrators. Each is shown once."""

from msgspec import UNSET

from chatd.accounts.admin import OF_SERVER, may_be_of_another_server
from chatd.accounts.tokens.tokens import TokenInfo, Wanted, add_token, revoke_token, rotate_token, tokens_of
from chatd.api.accounts.bodies import (
    CreateToken,
    NewTokenView,
    RotateToken,
    TokenList,
    TokenView,
    rates_body,
)
from chatd.api.accounts.users import user_in_path
from chatd.api.bodies import Nothing
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B, Q
from chatd.api.serving.callers.permits import chat_not_found, readable
from chatd.domain.ids import ChatId, UserId
from chatd.domain.people.rates import NO_RATES, narrowed
from chatd.domain.people.roles import UserKind
from chatd.domain.people.scopes import USUAL_SCOPES, TokenScope
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain, one_line


async def list_(asked: Asked[Nothing, Nothing]) -> TokenList:
    return await _list(asked, asked.user.id)


async def list_of_user(asked: Asked[Nothing, Nothing]) -> TokenList:
    return await _list(asked, (await user_in_path(asked)).user.id)


async def add(asked: Asked[Nothing, CreateToken]) -> NewTokenView:
    return await _add(asked, asked.user.id)


async def add_of_user(asked: Asked[Nothing, CreateToken]) -> NewTokenView:
    """People make their own."""
    return await _add(asked, await _service_in_path(asked))


async def _add(asked: Asked[Nothing, CreateToken], user_id: UserId) -> NewTokenView:
    """A token makes no token that is good for more, or for longer, than itself."""
    caller, body = asked.known, asked.body
    if body.scopes is UNSET:
        scopes = USUAL_SCOPES & caller.standing.scopes
    else:
        scopes = frozenset(body.scopes)
        check_scopes(scopes, caller.standing.scopes)
    wanted = Wanted(
        name=_name(body.name),
        scopes=scopes,
        days=body.days,
        not_after=caller.expires_at,
        family=await _family(asked) if body.chat_id is not None else None,
        made_by=asked.user.id if user_id != asked.user.id else None,
        rates=narrowed(body.rates.rates if body.rates is not None else NO_RATES, caller.rates.token),
    )
    token, info = await add_token(asked.store.db, user_id, wanted, by=asked.by)
    return _new(asked, token, info)


async def rotate(asked: Asked[Nothing, RotateToken]) -> NewTokenView:
    return await _rotate(asked, asked.user.id)


async def rotate_of_user(asked: Asked[Nothing, RotateToken]) -> NewTokenView:
    return await _rotate(asked, await _service_in_path(asked))


async def _rotate(asked: Asked[Nothing, RotateToken], user_id: UserId) -> NewTokenView:
    found = await _found(asked, user_id)
    check_scopes(found.scopes, asked.known.standing.scopes)
    rotated = await rotate_token(
        asked.store.db, user_id, found.id, old_seconds=asked.body.old_seconds, by=asked.by
    )
    if rotated is None:
        raise _not_found(asked)
    asked.server.access_changed(user_id)
    return _new(asked, *rotated)


async def revoke(asked: Asked[Nothing, Nothing]) -> None:
    await _revoke(asked, asked.user.id)


async def revoke_of_user(asked: Asked[Nothing, Nothing]) -> None:
    await _revoke(asked, (await user_in_path(asked)).user.id)


async def _list(asked: Asked[Q, B], user_id: UserId) -> TokenList:
    return TokenList(tokens=tuple(_view(each) for each in await tokens_of(asked.store.db, user_id)))


async def _revoke(asked: Asked[Q, B], user_id: UserId) -> None:
    found = await _found(asked, user_id, also_of_server=may_be_of_another_server(asked.store.db))
    if not await revoke_token(asked.store.db, user_id, found.id, by=asked.by):
        raise _not_found(asked)
    asked.server.access_changed(user_id)


async def _service_in_path(asked: Asked[Q, B]) -> UserId:
    """Raises NotFound; NotAllowed for anybody else: in a person's name only they do something."""
    user = (await user_in_path(asked)).user
    if user.kind is not UserKind.SERVICE:
        raise NotAllowed(
            "not_a_service",
            f"{user.name!r} makes tokens for themselves.",
            hint="POST /api/v1/users/{id}/sign-in-link makes a link that signs a person in.",
        )
    return user.id


async def _family(asked: Asked[Nothing, CreateToken]) -> ChatId:
    """Of a chat that the caller may read. Raises NotFound."""
    chat_id = ChatId(asked.body.chat_id or "")
    seen = await readable(asked.known, asked.store.db, chat_id, asked.server.policy)
    if seen is None:
        raise chat_not_found(chat_id)
    return seen.chat.family


async def _found(asked: Asked[Q, B], user_id: UserId, *, also_of_server: bool = False) -> TokenInfo:
    """The token that the path names, if it can be changed here.

    One of a server is replaced where it comes from. Where servers share a database they leave each other's
    tokens alone, so one that no server has any more can be revoked here.
    """
    token_id = asked.path["token_id"]
    found = next((each for each in await tokens_of(asked.store.db, user_id) if each.id == token_id), None)
    if found is None:
        raise _not_found(asked)
    if found.name in OF_SERVER and not also_of_server:
        raise NotAllowed(
            "token_of_server",
            f"This token comes {found.name} of the server, and would be back at its next start.",
            hint="Replace it there, and start the server again.",
        )
    return found


def _not_found(asked: Asked[Q, B]) -> NotFound:
    return NotFound("token_not_found", f"There is no token {asked.path['token_id']!r}.")


def check_scopes(wanted: frozenset[TokenScope], own: frozenset[TokenScope]) -> None:
    if missing := sorted(wanted - own):
        raise Forbidden(
            "scope_missing",
            f"The token that you have shown lacks {', '.join(f'`{each}`' for each in missing)} itself.",
            field="scopes",
            hint="Sign in with a browser, or use a token that has these scopes.",
        )


def _name(given: str) -> str:
    name = one_line(given).strip()
    if not name or not is_plain(name) or name in OF_SERVER:
        raise BadInput("bad_value", "Say in a few words what the token is for.", field="name")
    return name


def _view(info: TokenInfo) -> TokenView:
    return TokenView(
        id=info.id,
        name=info.name,
        shown=info.shown,
        scopes=tuple(sorted(info.scopes)),
        created_at=rfc3339(info.created_at),
        expires_at=rfc3339(info.expires_at) if info.expires_at is not None else None,
        used_at=rfc3339(info.used_at) if info.used_at is not None else None,
        old_until=rfc3339(info.old_until) if info.old_until is not None else None,
        of_server=info.name in OF_SERVER,
        rates=rates_body(info.rates),
        chat_id=info.family,
        made_by=info.made_by,
    )


def _new(asked: Asked[Q, B], token: str, info: TokenInfo) -> NewTokenView:
    asked.server.callers.expect(token)
    view = _view(info)
    return NewTokenView(token=token, **{name: getattr(view, name) for name in view.__struct_fields__})
