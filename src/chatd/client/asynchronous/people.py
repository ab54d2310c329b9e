"""Users, groups and services."""

from typing import Any

from chatd.client.answers import (
    BrowserSignIn,
    BrowserSignInList,
    EndUser,
    EndUserPage,
    Group,
    GroupName,
    GroupPage,
    NewUser,
    Service,
    ServicePage,
    SignInCode,
    User,
    UserName,
    UserPage,
    UserToken,
)
from chatd.client.asynchronous.calls import USERS, Calls, path_in
from chatd.client.pages import Pages

GROUPS = "/api/v1/groups"
SERVICES = "/api/v1/services"


class PeopleCalls(Calls):
    def users(self, *, q: str = "", after: str = "", **filters: str | int) -> Pages[UserPage, User]:
        """The users by name, for administrators; `after` is `next` of the page before.

        Filters: `role`, `state` (`active`, `suspended`) and `kind` (`person`, `service`); `limit` of a page.
        """
        return self._pages(USERS, UserPage, {"q": q, "after": after, **filters})

    async def find_people(self, part: str) -> tuple[UserName, ...]:
        """Whom to share with: up to 20, by at least two letters of their name."""
        return (await self._http.ask("GET", USERS, UserPage, query={"find": part})).names

    async def add_user(self, name: str, **fields: Any) -> NewUser:
        """`code` of the answer signs a browser of theirs in, once."""
        return await self._http.ask("POST", USERS, NewUser, body={"name": name, **fields})

    async def change_user(self, user_id: str, **fields: Any) -> User:
        return await self._http.ask("PATCH", path_in(USERS, user_id), User, body=fields)

    async def suspend_user(self, user_id: str) -> User:
        return await self._http.ask("POST", f"{path_in(USERS, user_id)}/suspend", User)

    async def activate_user(self, user_id: str) -> User:
        return await self._http.ask("POST", f"{path_in(USERS, user_id)}/activate", User)

    async def delete_user(self, user_id: str, *, chats: str, to: str | None = None) -> None:
        """`chats` says what becomes of theirs: `archive`, `erase`, or `transfer` to the user `to`, an id."""
        query = {"chats": chats, **({"to": to} if to is not None else {})}
        await self._http.ask_bytes("DELETE", path_in(USERS, user_id), query=query)

    async def restore_user(self, user_id: str) -> User:
        """Within 14 days."""
        return await self._http.ask("POST", f"{path_in(USERS, user_id)}/restore", User)

    async def sign_in_code(self, user_id: str) -> SignInCode:
        """For a user who has no way in."""
        return await self._http.ask("POST", f"{path_in(USERS, user_id)}/sign-in-link", SignInCode)

    async def sign_ins_of(self, user_id: str) -> tuple[BrowserSignIn, ...]:
        """The browsers in which a user is signed in, for administrators."""
        found = await self._http.ask("GET", f"{path_in(USERS, user_id)}/sign-ins", BrowserSignInList)
        return found.sign_ins

    async def end_sign_in_of(self, user_id: str, sign_in_id: str) -> None:
        """Signs one of them out."""
        await self._http.ask_bytes("DELETE", path_in(f"{path_in(USERS, user_id)}/sign-ins", sign_in_id))

    def groups(self, *, q: str = "", after: str = "", limit: int | None = None) -> Pages[GroupPage, Group]:
        """The groups by name; `after` is `next` of the page before."""
        return self._pages(GROUPS, GroupPage, {"q": q, "after": after, "limit": limit})

    async def find_groups(self, part: str) -> tuple[GroupName, ...]:
        """To share with: up to 20, by at least two letters of their name."""
        return (await self._http.ask("GET", GROUPS, GroupPage, query={"find": part})).names

    async def group(self, group_id: str) -> Group:
        return await self._http.ask("GET", path_in(GROUPS, group_id), Group)

    async def add_group(self, name: str) -> Group:
        return await self._http.ask("POST", GROUPS, Group, body={"name": name})

    async def rename_group(self, group_id: str, name: str) -> Group:
        return await self._http.ask("PATCH", path_in(GROUPS, group_id), Group, body={"name": name})

    async def delete_group(self, group_id: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(GROUPS, group_id))

    def members(self, group_id: str, *, after: str = "", limit: int | None = None) -> Pages[UserPage, User]:
        """Who is in a group, by name."""
        return self._pages(f"{path_in(GROUPS, group_id)}/members", UserPage, {"after": after, "limit": limit})

    async def add_member(self, group_id: str, user_id: str) -> None:
        await self._http.ask_bytes("PUT", path_in(f"{path_in(GROUPS, group_id)}/members", user_id))

    async def remove_member(self, group_id: str, user_id: str) -> None:
        await self._http.ask_bytes("DELETE", path_in(f"{path_in(GROUPS, group_id)}/members", user_id))

    def services(self, *, after: str = "", limit: int | None = None) -> Pages[ServicePage, Service]:
        """The services by name; `after` is `next` of the page before."""
        return self._pages(SERVICES, ServicePage, {"after": after, "limit": limit})

    async def service(self, service_id: str) -> Service:
        return await self._http.ask("GET", path_in(SERVICES, service_id), Service)

    async def add_service(self, name: str, **fields: Any) -> Service:
        """It has no token yet: `add_token` with its id as `user_id` makes one."""
        return await self._http.ask("POST", SERVICES, Service, body={"name": name, **fields})

    async def change_service(self, service_id: str, **fields: Any) -> Service:
        return await self._http.ask("PATCH", path_in(SERVICES, service_id), Service, body=fields)

    async def delete_service(self, service_id: str, *, chats: str, to: str | None = None) -> None:
        """With its end users. `chats` as for `delete_user`."""
        query = {"chats": chats, **({"to": to} if to is not None else {})}
        await self._http.ask_bytes("DELETE", path_in(SERVICES, service_id), query=query)

    def end_users(
        self, service_id: str, *, external_id: str | None = None, after: str = "", limit: int | None = None
    ) -> Pages[EndUserPage, EndUser]:
        """For whom a service has spoken, by its own names for them."""
        query = {"after": after, "external_id": external_id, "limit": limit}
        return self._pages(f"{path_in(SERVICES, service_id)}/end-users", EndUserPage, query)

    async def add_user_token(self, user: str, **fields: Any) -> UserToken:
        """For a service: a token with which somebody for whom it speaks can chat, for a while."""
        return await self._http.ask(
            "POST", f"{SERVICES}/me/user-tokens", UserToken, body={"user": user, **fields}
        )
