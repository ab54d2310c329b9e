"""Schemathesis asks a real server for everything that its description offers, and much that it does not.

A fixed number of requests, drawn the same way each time, each as nobody, as a guest with a public link, as
one with whom the chat is shared, as its owner and as the administrator: nothing breaks, no status is
undocumented, no answer differs from its schema, and nothing is done that the table of deeds forbids.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import Phase, settings
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from chatd.api.openapi.document import document
from chatd.api.router import AnyRoute
from chatd.api.routes import ROUTES, STREAMS
from chatd.domain.people.deeds import Deed
from chatd.domain.people.permit import Allow, Relation, Standing, permit
from chatd.domain.people.roles import UserRole
from chatd.domain.people.scopes import TokenScope
from tests.cli.program import READY, environment_for
from tests.traceability import proves

GRANT = "/api/v1/chats/{chat_id}/grants/{kind}/{subject}"
ROUTE_OF = {f"{route.method} {route.path}": route for route in ROUTES}

# Only ever waited for when something is broken.
PATIENCE_SECONDS = 30
# Drawn for each operation. What a case cannot be made for is skipped, so it is a bound.
EXAMPLES = 6
# There is also one for each bound of each field. So many are made as every caller, the rest as administrator.
AS_ALL_MAX = 8

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

schema = schemathesis.openapi.from_dict(json.loads(document()))
# A stream does not end; tests/api/chats/streams/test_stream.py is about them.
finite = schema.exclude(path=[stream.path for stream in STREAMS])


class Caller:
    """One of those who ask, and chats for them to ask about."""

    def __init__(
        self, address: str, session: requests.Session, who: Standing | None, relation: Relation
    ) -> None:
        """Without a standing it is nobody."""
        self.address = address
        self.session = session
        self.who = who
        self.relation = relation
        # Who starts the chats, and what happens to them before they are asked about.
        self.owner = session
        self.share = _with_nobody
        self._chats: dict[str, str] = {}

    def chat_for(self, operation: str) -> str:
        """One that is busy, with a message that waits. What an operation did to its chat stays with it."""
        if operation not in self._chats or operation.startswith("DELETE"):
            words = {"content": [{"type": "text", "text": "wait 3600"}]}
            chat_id: str = _asked(self.owner, "POST", f"{self.address}/api/v1/chats", words)["id"]
            _asked(self.owner, "POST", f"{self.address}/api/v1/chats/{chat_id}/messages", words)
            self.share(chat_id)
            self._chats[operation] = chat_id
        return self._chats[operation]

    def may(self, route: AnyRoute, *given: object) -> bool:
        """Whether the table lets them do what was done."""
        if route.for_guests:
            return self.relation is Relation.GUEST
        if route.deed is Deed.ENTER or self.who is None:
            return route.deed is Deed.ENTER
        names = {name for fields in given if isinstance(fields, Mapping) for name in fields}
        deeds = {deed for name, deed in route.by_field.items() if name in names}
        deeds |= {deed for name, deed in route.instead.items() if name in names} or {route.deed}
        relation = self.relation if "{chat_id}" in route.path else None
        return all(isinstance(permit(self.who, deed, relation), Allow) for deed in deeds)


class Site:
    def __init__(self, address: str, token: str) -> None:
        self.address = address
        nobody, admin = requests.Session(), with_token(token)
        owner, _ = self._person(admin, "owner")
        reader, reader_id = self._person(admin, "reader")

        def share(chat_id: str) -> None:
            if f"PUT {GRANT}" in ROUTE_OF:
                path = GRANT.format(chat_id=chat_id, kind="user", subject=reader_id)
                _asked(owner, "PUT", address + path, {"role": "reader"})

        member = Standing(role=UserRole.MEMBER)
        relation = Relation.READER if f"PUT {GRANT}" in ROUTE_OF else Relation.STRANGER
        self.callers = {
            "nobody": Caller(address, nobody, None, Relation.STRANGER),
            "guest": Caller(address, self._guest(owner), None, Relation.GUEST),
            "reader": Caller(address, reader, member, relation),
            "member": Caller(address, owner, member, Relation.OWNER),
            "administrator": Caller(address, admin, Standing(role=UserRole.ADMIN), Relation.OWNER),
        }
        for each in ("nobody", "guest", "reader"):
            self.callers[each].owner, self.callers[each].share = owner, share
        self._asked: Counter[str] = Counter()

    def callers_of(self, operation: str) -> Iterable[tuple[str, Caller]]:
        self._asked[operation] += 1
        everybody = list(self.callers.items())
        return everybody if self._asked[operation] <= AS_ALL_MAX else everybody[-1:]

    def _guest(self, owner: requests.Session) -> requests.Session:
        """One with a link that shows as much as one can, of a chat in which something was said."""
        chats = f"{self.address}/api/v1/chats"
        content = [{"type": "text", "text": "hello"}]
        chat_id = _asked(owner, "POST", chats, {"content": content})["id"]
        wanted = {"live": True, "include": ["files", "reasoning", "tools"]}
        return showing(f"Guest {_asked(owner, 'POST', f'{chats}/{chat_id}/links', wanted)['code']}")

    def _person(self, admin: requests.Session, name: str) -> tuple[requests.Session, str]:
        """As they come in: a link, a browser, a token of their own."""
        api = f"{self.address}/api/v1"
        added = _asked(admin, "POST", f"{api}/users", {"name": name, "role": "member"})
        browser = requests.Session()
        _asked(browser, "POST", f"{api}/auth/exchange", {"code": added["code"]})
        browser.headers["Origin"] = self.address
        wanted = {"name": "fuzz", "scopes": sorted(TokenScope)}
        made = _asked(browser, "POST", f"{api}/users/me/tokens", wanted)
        return with_token(made["token"]), added["id"]


def _with_nobody(chat_id: str) -> None:
    """A chat of one's own needs no grant."""


def with_token(token: str) -> requests.Session:
    return showing(f"Bearer {token}")


def showing(authorization: str) -> requests.Session:
    session = requests.Session()
    session.headers["Authorization"] = authorization
    return session


def _asked(session: requests.Session, method: str, url: str, body: Any) -> Any:
    answer = session.request(method, url, json=body, timeout=PATIENCE_SECONDS)
    assert answer.ok, answer.text
    return answer.json()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Nothing drives its chats, so that nothing calls a provider that an example has made up."""
    home = tmp_path_factory.mktemp("fuzzed")
    unlimited = ("REQUESTS", "UPLOADS", "SIGN_INS", "GUESTS", "WRONG_TOKENS")
    no_limits = {f"CHATD_{each}_PER_MINUTE": "0" for each in unlimited}
    environment = environment_for(home, {**no_limits, "CHATD_PUBLIC_LINKS": "true"})
    command = [sys.executable, "-m", "chatd", "serve", "--port", "0", "--data-dir", "data", "--no-worker"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=home,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().removeprefix(READY).strip()
            yield Site(address, (home / "data" / "admin-token").read_text().strip())
        finally:
            process.terminate()


@proves("people", 84)
@finite.parametrize()
@settings(max_examples=EXAMPLES, phases=[Phase.explicit, Phase.generate])
def test_every_answer_is_as_described_and_nothing_is_done_that_is_forbidden(
    case: schemathesis.Case[Any], site: Site
) -> None:
    route = ROUTE_OF[case.operation.label]
    # Half of the examples are about a chat that exists.
    of_chat = len(str(case.path_parameters.get("chat_id", ""))) % 2
    # What is made up here would count instead of what the caller shows.
    case.headers.pop("Authorization", None)
    case.cookies.clear()
    for name, caller in site.callers_of(case.operation.label):
        if of_chat:
            case.path_parameters["chat_id"] = caller.chat_for(case.operation.label)
        response = case.call(base_url=site.address, session=caller.session, timeout=PATIENCE_SECONDS)
        case.validate_response(response, checks=CHECKS)
        assert caller.may(route, case.query, case.body) or response.status_code >= HTTPStatus.BAD_REQUEST, (
            f"{name}: {case.as_curl_command()}"
        )
        if caller.who is None and route.deed is not Deed.ENTER and not route.for_guests:
            assert response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.METHOD_NOT_ALLOWED)
