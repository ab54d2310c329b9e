"""The real identity provider as a process, and a person who signs in there without a browser."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import aiohttp
import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("provider.mjs")
PACKAGE = ROOT / "web" / "node_modules" / "oidc-provider"
CLIENT_ID, CLIENT_SECRET = "chatd", "what the client knows"
# Redirects and forms of one sign-in.
STEPS_MAX = 12

_ACTION = re.compile(r'<form[^>]* action="([^"]+)"')
_PROMPT = re.compile(r'name="prompt" value="(\w+)"')


class IdentityProvider:
    def __init__(self, issuer: str, accounts: Path) -> None:
        self.issuer = issuer
        self._accounts = accounts

    def knows(self, **accounts: dict[str, Any]) -> None:
        """These people, and what it says of each; nobody else from now on."""
        self._accounts.write_text(json.dumps(accounts))

    async def sign_in(self, url: str, login: str) -> str:
        """Goes there, fills in its forms, and returns the address that the browser is sent back to."""
        origin = self.issuer
        cookies: dict[str, str] = {}
        method, form = "GET", None
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
            for _ in range(STEPS_MAX):
                sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
                async with session.request(
                    method, url, headers=sent, data=form, allow_redirects=False
                ) as answer:
                    for header in answer.headers.getall("Set-Cookie", ()):
                        cookies |= {name: each.value for name, each in SimpleCookie(header).items()}
                    if location := answer.headers.get("Location"):
                        url, method, form = urljoin(url, location), "GET", None
                        if not url.startswith(origin):
                            return url
                        continue
                    page = await answer.text()
                action, prompt = _ACTION.search(page), _PROMPT.search(page)
                assert action, page
                assert prompt, page
                url, method = urljoin(url, action[1]), "POST"
                form = {"prompt": prompt[1], "login": login, "password": "any will do"}
        raise AssertionError("the sign-in does not end")


@contextmanager
def identity_provider(home: Path, *redirect_uris: str) -> Iterator[IdentityProvider]:
    """Skips the test where it is not installed."""
    node = shutil.which("node")
    if node is None or not PACKAGE.exists():
        pytest.skip(
            "the identity provider is not installed: run `npm --prefix web ci`, which needs Node.js 20"
        )
    accounts = home / "accounts.json"
    accounts.write_text("{}")
    with (home / "provider.log").open("w") as log:
        process = subprocess.Popen(
            [node, str(PROGRAM), str(accounts), *redirect_uris], stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("http://"):
                break
        else:
            raise AssertionError((home / "provider.log").read_text())
        yield IdentityProvider(line.strip(), accounts)
    finally:
        process.kill()
        process.communicate()
