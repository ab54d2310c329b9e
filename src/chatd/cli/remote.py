"""How a command finds its server, and the token to show there."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from chatd.client import AsyncClient
from chatd.errors import Misconfigured
from chatd.settings.place import read_place
from chatd.storage.data_dir.server_address import read_address
from chatd.storage.data_dir.token_file import TOKEN_FILE


class Place(Protocol):
    """Where the server of this machine is: all of its settings, or those few."""

    @property
    def data_dir(self) -> Path: ...

    @property
    def port(self) -> int: ...

    @property
    def admin_token(self) -> str | None: ...


LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})


def client_from(flags: Mapping[str, object]) -> AsyncClient:
    """A client for the server that flags, environment and settings name. Raises Misconfigured."""
    given = {name: flags.get(name) for name in ("config", "data_dir")}
    place = read_place(flags=given, environment=os.environ, directory=Path.cwd())
    url = url_from(flags, place)
    client = AsyncClient(url, token_from(flags, place, url))
    if not _given_url(flags):
        # It may be started again at another port while we talk to it.
        client.find_address = lambda: read_address(place.data_dir)
    return client


def url_from(flags: Mapping[str, object], place: Place) -> str:
    given = _given_url(flags)
    if not given:
        # A server that runs says where, whatever port it was started with.
        return read_address(place.data_dir) or f"http://127.0.0.1:{place.port}"
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Misconfigured(f"{given!r} is not the address of a server. Write it like http://127.0.0.1:8787.")
    return given


def _given_url(flags: Mapping[str, object]) -> str:
    return str(flags.get("url") or os.environ.get("CHATD_URL") or "")


def token_from(flags: Mapping[str, object], place: Place, url: str) -> str:
    given = str(flags.get("token") or os.environ.get("CHATD_TOKEN") or "")
    if given:
        return given
    if urlsplit(url).hostname not in LOCAL:
        # The administrator's token of this machine is not sent to another one.
        raise Misconfigured(f"Give your token for {url} with --token or CHATD_TOKEN.")
    if place.admin_token is not None:
        return place.admin_token
    file = place.data_dir / TOKEN_FILE
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(
            f"There is no token in {file}. Has `chatd serve` run with this data directory? "
            "Otherwise give one with --token or CHATD_TOKEN."
        ) from error
