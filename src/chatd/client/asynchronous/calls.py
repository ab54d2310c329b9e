"""What every call goes through: a session with one server, as one user, and how paths and bodies are made."""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

from msgspec import UNSET

from chatd.client.follow import ATTEMPTS_MAX
from chatd.client.server import ServerClient
from chatd.kit.clock import Clock

# Plain words, or parts as the API takes them.
Content: TypeAlias = str | Sequence[Mapping[str, Any]]

CHATS = "/api/v1/chats"
USERS = "/api/v1/users"


class Calls(ServerClient):
    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        clock: Clock | None = None,
        chance: Callable[[], float] = random.random,
        attempts_max: int = ATTEMPTS_MAX,
        user: str | None = None,
    ) -> None:
        for_user = {"X-Chatd-User": user} if user is not None else {}
        headers = {"Authorization": f"Bearer {token}", **for_user}
        super().__init__(base_url, headers, clock=clock, chance=chance, attempts_max=attempts_max)


def chat_path(chat_id: str) -> str:
    return path_in(CHATS, chat_id)


def path_in(folder: str, name: str) -> str:
    return f"{folder}/{quote(name, safe='')}"


def parts(content: Content) -> Sequence[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def named(**fields: object) -> dict[str, object]:
    """For fields of which None is a value: no deadline, no workspace."""
    return {name: value for name, value in fields.items() if value is not UNSET}


def given(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}
