"""The server itself: how it is, what counts for all of its chats."""

from typing import Any

from chatd.client.answers import Advisor, Health, Replica, ReplicaList, Settings
from chatd.client.asynchronous.calls import Calls

SETTINGS = "/api/v1/settings"


class ServerCalls(Calls):
    async def alive(self) -> Health:
        return await self._http.ask("GET", "/healthz", Health)

    async def ready(self) -> Health:
        return await self._http.ask("GET", "/readyz", Health)

    async def openapi(self) -> dict[str, Any]:
        return await self._http.ask("GET", "/api/v1/openapi.json", dict[str, Any])

    async def replicas(self) -> tuple[Replica, ...]:
        """The servers that share the database. For administrators."""
        return (await self._http.ask("GET", "/api/v1/replicas", ReplicaList)).replicas

    async def metrics(self) -> str:
        return (await self._http.ask_bytes("GET", "/metrics")).decode()

    async def settings(self) -> Settings:
        return await self._http.ask("GET", SETTINGS, Settings)

    async def change_settings(self, **fields: Any) -> Settings:
        return await self._http.ask("PATCH", SETTINGS, Settings, body=fields)

    async def advisor(self) -> Advisor:
        return await self._http.ask("GET", f"{SETTINGS}/advisor", Advisor)

    async def set_advisor(self, **fields: Any) -> Advisor:
        """For administrators. What is not named is as it is by default; `enabled` has to be."""
        return await self._http.ask("PUT", f"{SETTINGS}/advisor", Advisor, body=fields)
