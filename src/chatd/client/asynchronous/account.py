"""What is the caller's own: keys, skills, settings, tokens, and what they may do."""

from typing import Any

from chatd.client.answers import (
    Identity,
    IdentityList,
    NewToken,
    OwnKey,
    OwnKeyList,
    OwnSettings,
    PermitList,
    Skill,
    SkillList,
    Token,
    TokenList,
    User,
)
from chatd.client.asynchronous.calls import USERS, Calls, path_in

OWN_KEYS = "/api/v1/users/me/provider-keys"
OWN_SETTINGS = "/api/v1/users/me/settings"
OWN_SKILLS = "/api/v1/users/me/skills"
PERMITS = "/api/v1/permits"


class AccountCalls(Calls):
    async def own_keys(self) -> tuple[OwnKey, ...]:
        return (await self._http.ask("GET", OWN_KEYS, OwnKeyList)).keys

    async def set_own_key(self, provider: str, api_key: str) -> None:
        await self._http.ask_bytes("PUT", path_in(OWN_KEYS, provider), body={"api_key": api_key})

    async def delete_own_key(self, provider: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(OWN_KEYS, provider))

    async def skills(self) -> tuple[Skill, ...]:
        """The caller's own skills, which agents can read in all of their chats."""
        return (await self._http.ask("GET", OWN_SKILLS, SkillList)).skills

    async def skill(self, name: str) -> Skill:
        return await self._http.ask("GET", path_in(OWN_SKILLS, name), Skill)

    async def add_skill(self, content: str) -> Skill:
        """`content` is a whole `SKILL.md`, which says its name."""
        return await self._http.ask("POST", OWN_SKILLS, Skill, body={"content": content})

    async def change_skill(self, name: str, content: str) -> Skill:
        """The name in it must be the same."""
        return await self._http.ask("PATCH", path_in(OWN_SKILLS, name), Skill, body={"content": content})

    async def delete_skill(self, name: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(OWN_SKILLS, name))

    async def change_own_name(self, display_name: str) -> User:
        """How the caller is shown to others."""
        return await self._http.ask("PATCH", f"{USERS}/me", User, body={"display_name": display_name})

    async def identities(self) -> tuple[Identity, ...]:
        """As whom you are known at the identity provider."""
        return (await self._http.ask("GET", f"{USERS}/me/identities", IdentityList)).identities

    async def choose_password(self, new: str, *, old: str | None = None) -> User:
        """To sign in with; `old` is needed if there is one. Other browsers of the caller are signed out."""
        return await self._http.ask("PATCH", f"{USERS}/me", User, body={"password": {"old": old, "new": new}})

    async def own_settings(self) -> OwnSettings:
        return await self._http.ask("GET", OWN_SETTINGS, OwnSettings)

    async def change_own_settings(self, **fields: Any) -> OwnSettings:
        return await self._http.ask("PATCH", OWN_SETTINGS, OwnSettings, body=fields)

    async def tokens(self, user_id: str = "me") -> tuple[Token, ...]:
        """The caller's own; those of another user for administrators."""
        return (await self._http.ask("GET", f"{path_in(USERS, user_id)}/tokens", TokenList)).tokens

    async def add_token(self, name: str, *, user_id: str = "me", **fields: Any) -> NewToken:
        """The caller's own, or one of a service for administrators."""
        path = f"{path_in(USERS, user_id)}/tokens"
        return await self._http.ask("POST", path, NewToken, body={"name": name, **fields})

    async def rotate_token(self, token_id: str, *, old_seconds: int = 0, user_id: str = "me") -> NewToken:
        """Another secret; the one of before counts for so long."""
        path = f"{path_in(f'{path_in(USERS, user_id)}/tokens', token_id)}/rotate"
        return await self._http.ask("POST", path, NewToken, body={"old_seconds": old_seconds})

    async def revoke_token(self, token_id: str, user_id: str = "me") -> None:
        await self._http.ask_bytes("DELETE", path_in(f"{path_in(USERS, user_id)}/tokens", token_id))

    async def permits(self, chat_id: str | None = None) -> tuple[str, ...]:
        """The deeds that would not be refused, such as `chat.create`; with a chat, also those in it."""
        query = {"chat": chat_id} if chat_id is not None else {}
        return (await self._http.ask("GET", PERMITS, PermitList, query=query)).deeds
