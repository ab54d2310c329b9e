"""A user's own tokens, for programs. A token is shown when it is made, and never again."""

from chatd.accounts.admin import OF_SERVER
from chatd.accounts.tokens import TokenInfo, add_token, revoke_token, tokens_of
from chatd.api.accounts.bodies import CreateToken, NewTokenView, TokenList, TokenView
from chatd.api.bodies import Nothing
from chatd.api.router import Asked
from chatd.errors import BadInput, NotAllowed, NotFound
from chatd.kit.clock import rfc3339
from chatd.kit.text import is_plain, one_line


async def list_(asked: Asked[Nothing, Nothing]) -> TokenList:
    return TokenList(tokens=tuple(_view(each) for each in await tokens_of(asked.store.db, asked.user.id)))


async def add(asked: Asked[Nothing, CreateToken]) -> NewTokenView:
    token, info = await add_token(asked.store.db, asked.user.id, _name(asked.body.name))
    return NewTokenView(
        id=info.id, name=info.name, created_at=rfc3339(info.created_at), of_server=False, token=token
    )


async def revoke(asked: Asked[Nothing, Nothing]) -> None:
    token_id, db, user_id = asked.path["token_id"], asked.store.db, asked.user.id
    found = next((each for each in await tokens_of(db, user_id) if each.id == token_id), None)
    if found is not None and found.name in OF_SERVER:
        raise NotAllowed(
            "token_of_server",
            f"This token comes {found.name} of the server, and would be back at its next start.",
            hint="Replace it there, and start the server again.",
        )
    if found is None or not await revoke_token(db, user_id, token_id):
        raise NotFound("token_not_found", f"You have no token {token_id!r}.")
    asked.server.withdrawn()


def _name(given: str) -> str:
    name = one_line(given).strip()
    if not name or not is_plain(name) or name in OF_SERVER:
        raise BadInput("bad_value", "Say in a few words what the token is for.", field="name")
    return name


def _view(info: TokenInfo) -> TokenView:
    return TokenView(
        id=info.id,
        name=info.name,
        created_at=rfc3339(info.created_at),
        of_server=info.name in OF_SERVER,
    )
