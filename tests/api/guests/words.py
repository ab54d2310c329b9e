"""Words for tests of guests: who has a code, and what they are told."""

import json
from typing import Any

from starlette.types import ASGIApp

from chatd.domain.people.permit import Policy
from tests.api.client import CHATS, Answer, Client
from tests.api.websockets import opened

PUBLIC = "/api/v1/public"
LINKS_ON = Policy(public_links=True)


async def make_link(owner: Client, chat_id: str, **fields: object) -> Any:
    answer = await owner.post(f"{CHATS}/{chat_id}/links", fields)
    assert answer.status == 201, answer.body
    return answer.json


class Guest:
    """One who has a code, or believes so."""

    def __init__(self, app: ASGIApp, code: str, *, address: str = "192.0.2.7") -> None:
        self._app = app
        self._client = Client(app, address=address)
        self.headers: dict[str, str | list[str]] = {"authorization": f"Guest {code}"}

    async def get(self, path: str, **headers: str) -> Answer:
        return await self._client.ask("GET", f"{PUBLIC}/{path}", headers={**self.headers, **headers})

    async def chat(self) -> Any:
        answer = await self.get("chat")
        assert answer.status == 200, answer.body
        return answer.json

    async def messages(self, query: str = "") -> list[Any]:
        """Oldest first."""
        answer = await self.get(f"messages{query}")
        assert answer.status == 200, answer.body
        return list(reversed(answer.json["messages"]))

    async def said(self) -> list[str]:
        return ["".join(words_in(message)) for message in await self.messages()]

    async def events(self) -> list[Any]:
        """What a stream tells at first. In a test nobody reads on, so it ends after that."""
        answer = await self.get("stream", accept="text/event-stream")
        assert answer.status == 200, answer.body
        lines = answer.body.decode().split("\n")
        return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]

    async def over_websocket(self) -> dict[str, Any]:
        headers = {name: str(value) for name, value in self.headers.items()}
        return await opened(self._app, f"{PUBLIC}/stream", headers=headers)

    async def is_let_in(self) -> bool:
        """Everywhere, or nowhere, and then with one and the same answer."""
        answers = [await self.get(path) for path in ("chat", "messages", "files/nothing")]
        answers.append(await self.get("stream", accept="text/event-stream"))
        refused = [each for each in answers if each.status == 404 and each.error["code"] == "link_not_found"]
        assert len(refused) in (0, len(answers)), answers
        assert len({each.body for each in refused}) <= 1, refused
        return not refused


def words_in(message: Any) -> list[str]:
    return [part["text"] for part in message["content"] if part["type"] == "text"]
