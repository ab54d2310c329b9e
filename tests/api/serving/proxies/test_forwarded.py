"""Where a request comes from, behind proxies that the settings name, and behind others."""

import json

import pytest
from starlette.datastructures import Headers

from chatd.accounts.ways_in.sign_in_codes import Purpose, new_code
from chatd.api.app import build
from chatd.api.serving.limits.admission import RequestLimits
from chatd.api.serving.origins.sites import Sites
from chatd.api.serving.proxies.forwarded import HOPS_MAX, TrustedProxies
from chatd.domain.ids import UserId
from chatd.kit.networks import network_in
from chatd.storage.reads.audit import AuditFilter, read_audit
from chatd.storage.transactions.transact import Store
from tests.api.client import Client
from tests.clock import MovedClock
from tests.traceability import proves

TRUSTED = TrustedProxies((network_in("10.0.0.0/8"), network_in("fd00::/8")))
PAGE = {"host": "example.org", "sec-fetch-site": "same-origin"}
EXCHANGE = "/api/v1/auth/exchange"


def address(peer: str, *forwarded: str) -> str:
    headers = Headers(raw=[(b"x-forwarded-for", each.encode()) for each in forwarded])
    return TRUSTED.address_of({"client": (peer, 1)}, headers)


@proves("people", 8)
@pytest.mark.parametrize("peer", ["192.0.2.9", "::1"])
def test_a_peer_that_is_no_trusted_proxy_cannot_say_where_it_comes_from(peer: str) -> None:
    assert address(peer, "198.51.100.7") == peer


@pytest.mark.parametrize(
    ("forwarded", "found"),
    [
        (["198.51.100.7"], "198.51.100.7"),
        # What the caller has sent stands to the left.
        (["203.0.113.1, 198.51.100.7"], "198.51.100.7"),
        (["203.0.113.1", "198.51.100.7, 10.1.1.1"], "198.51.100.7"),
        (["198.51.100.7:4711"], "198.51.100.7"),
        (["[2001:db8::7]:4711, fd00::1"], "2001:db8::7"),
        (["2001:db8::7"], "2001:db8::7"),
        (["::ffff:198.51.100.7"], "198.51.100.7"),
        # All of them are ours: the one furthest away.
        (["10.2.2.2, 10.1.1.1"], "10.2.2.2"),
        # What is no address ends the way, and what is left of it is not believed.
        (["198.51.100.7, unknown, 10.1.1.1"], "10.1.1.1"),
        (["unknown"], "10.0.0.1"),
        ([""], "10.0.0.1"),
        ([], "10.0.0.1"),
        (["198.51.100.7" + ", 10.1.1.1" * HOPS_MAX], "10.1.1.1"),
    ],
)
def test_the_caller_is_the_last_one_before_our_own_proxies(forwarded: list[str], found: str) -> None:
    assert address("10.0.0.1", *forwarded) == found


def test_a_proxy_is_known_by_its_ipv4_address_also_over_ipv6() -> None:
    assert address("::ffff:10.0.0.1", "198.51.100.7") == "198.51.100.7"


def test_a_server_on_a_socket_of_the_system_has_peers_without_an_address() -> None:
    assert TRUSTED.address_of({"client": None}, Headers({"x-forwarded-for": "198.51.100.7"})) == "unknown"


async def signed_in(store: Store, owner: UserId, peer: str, **forwarded: str) -> tuple[str, str]:
    """The address that the user sees of their sign-in, and the cookie."""
    headers = {**PAGE, **{name.replace("_", "-"): value for name, value in forwarded.items()}}
    client = Client(build(store, sites=Sites(proxies=TRUSTED)), address=peer)
    code = await new_code(store.db, owner, Purpose.TERMINAL)
    answer = await client.ask("POST", EXCHANGE, json.dumps({"code": code}).encode(), headers=headers)
    cookie = answer.headers["set-cookie"]
    listed = await client.ask("GET", "/api/v1/users/me/sign-ins", headers={**headers, "cookie": cookie})
    return listed.json["sign_ins"][0]["address"], cookie


@proves("people", 8)
async def test_a_sign_in_has_the_address_that_a_trusted_proxy_tells_and_no_other(
    store: Store, owner: UserId, clock: MovedClock
) -> None:
    told, _ = await signed_in(store, owner, "10.0.0.1", x_forwarded_for="198.51.100.7")
    forged, _ = await signed_in(store, owner, "192.0.2.9", x_forwarded_for="198.51.100.7")

    assert (told, forged) == ("198.51.100.7", "192.0.2.9")
    await clock.advance(11)
    audit = await read_audit(store.db, AuditFilter(deed="sign_in.begin"))
    assert {row.address for row in audit} == {"198.51.100.7", "192.0.2.9"}
    assert {row.actor_id for row in audit} == {owner}


async def test_only_a_trusted_proxy_makes_a_cookie_for_https(store: Store, owner: UserId) -> None:
    _, told = await signed_in(store, owner, "10.0.0.1", x_forwarded_proto="https")
    _, plain = await signed_in(store, owner, "10.0.0.1", x_forwarded_proto="https, http")
    _, forged = await signed_in(store, owner, "192.0.2.9", x_forwarded_proto="https")

    assert told.startswith("__Host-chatd=")
    assert told.endswith("; Secure")
    assert plain.startswith("chatd=")
    assert forged.startswith("chatd=")


async def test_those_who_sign_in_are_counted_by_the_address_that_a_trusted_proxy_tells(store: Store) -> None:
    limits = RequestLimits(sign_ins_per_minute=1)
    client = Client(build(store, sites=Sites(proxies=TRUSTED), limits=limits), address="10.0.0.1")

    async def guess(caller: str) -> int:
        headers = {**PAGE, "x-forwarded-for": caller}
        return (await client.ask("POST", EXCHANGE, b'{"code": "guessed"}', headers=headers)).status

    assert [await guess(each) for each in ("198.51.100.7", "198.51.100.8")] == [401, 401]
    assert [await guess(each) for each in ("198.51.100.7", "203.0.113.1, 198.51.100.7")] == [429, 429]
