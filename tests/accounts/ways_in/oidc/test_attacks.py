"""What a hostile provider, page or person may try when a browser comes back: nobody is let in."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from msgspec import structs

from chatd.accounts.ways_in.oidc.away import STATE_SECONDS
from chatd.accounts.ways_in.oidc.failures import Failure, NotSignedIn
from chatd.accounts.ways_in.oidc.flow import OidcFlow, Returned, SignedIn
from chatd.accounts.ways_in.oidc.provider import ASKED_AGAIN_SECONDS, KNOWN_SECONDS
from chatd.accounts.ways_in.sign_ins import Browser
from chatd.domain.people.audit import AskedBy, Via
from chatd.storage.database import Database
from chatd.storage.reads.audit import AuditFilter, read_audit
from tests.accounts.ways_in.oidc import hostile as attacks
from tests.accounts.ways_in.oidc.conftest import NETWORK, MakeFlow, flow_at
from tests.accounts.ways_in.oidc.hostile import HostileProvider
from tests.clock import MovedClock
from tests.traceability import proves

FIREFOX = Browser("192.0.2.1", "Firefox")
BY = AskedBy(via=Via.DOOR, address="192.0.2.1")


async def begun(flow: OidcFlow, db: Database, provider: HostileProvider) -> Returned:
    """A browser at the provider, and what it will come back with."""
    sent = await flow.begin(db, return_to="/", secret=None, network=NETWORK)
    asked = provider.sent(sent.url)
    return Returned(state=asked["state"], code=asked["code"], secret=sent.secret)


async def back(flow: OidcFlow, db: Database, returned: Returned) -> SignedIn:
    return await flow.come_back(db, returned, FIREFOX, instead_of=None, by=BY)


async def failure(flow: OidcFlow, db: Database, returned: Returned) -> Failure:
    with pytest.raises(NotSignedIn) as refused:
        await back(flow, db, returned)
    return refused.value.failure


async def test_an_honest_provider_is_believed(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    flow = make_flow()
    returned = await begun(flow, database, hostile)

    signed_in = await back(flow, database, returned)

    assert signed_in.secret
    (form,) = hostile.forms
    assert len(form["code_verifier"]) == 43


async def test_what_the_browser_carries_is_random_and_of_its_own(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    sent = [await make_flow().begin(database, return_to="/", secret=None, network=NETWORK) for _ in range(2)]
    one, other = (hostile.sent(each.url) for each in sent)

    assert one["code_challenge_method"] == "S256"
    assert one["redirect_uri"] == "http://127.0.0.1:8787/api/v1/auth/oidc/callback"
    assert urlsplit(sent[0].url).query.startswith("tenant=1&")
    for name in ("state", "nonce", "code_challenge"):
        assert one[name] != other[name]
        assert len(one[name]) == 43
    assert sent[0].secret not in sent[0].url


HOUR = 3600
CLAIMS: dict[str, dict[str, Any]] = {
    "of another audience": {"aud": "another client"},
    "for others too": {"aud": ["chatd", "another client"], "azp": "chatd"},
    "made for another client": {"azp": "another client"},
    "without an audience": {"aud": None},
    "of another issuer": {"iss": "https://evil.example"},
    "of almost the same issuer": {"iss": "{issuer}/"},
    "without an issuer": {"iss": None},
    "of another sign-in": {"nonce": "another"},
    "without a nonce": {"nonce": None},
    "with a nonce that is no text": {"nonce": 7},
    "that has expired": {"exp": int(time.time()) - HOUR},
    "without an end": {"exp": None},
    "of the future": {"iat": int(time.time()) + HOUR},
    "that counts later": {"nbf": int(time.time()) + HOUR},
    "of nobody": {"sub": None},
    "of an empty name": {"sub": ""},
}


@proves("people", 9)
@pytest.mark.parametrize("lie", CLAIMS)
async def test_an_id_token_does_not_count(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow, lie: str
) -> None:
    flow = make_flow()
    returned = await begun(flow, database, hostile)
    hostile.claims = {
        name: value.format(issuer=hostile.issuer) if isinstance(value, str) else value
        for name, value in CLAIMS[lie].items()
    }

    assert await failure(flow, database, returned) is Failure.TOKEN
    assert await database.read(lambda tx: tx.one("user_named", "anna")) is None


async def test_a_clock_may_differ_by_a_minute(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    flow = make_flow()
    returned = await begun(flow, database, hostile)
    hostile.claims = {"exp": int(time.time()) - 50, "iat": int(time.time()) + 50}

    assert (await back(flow, database, returned)).secret


SIGNATURES: dict[str, tuple[Callable[[dict[str, Any]], str], list[dict[str, Any]]]] = {
    "without a signature": (attacks.unsigned, [attacks.public_jwk("first")]),
    "with the public key as a secret": (attacks.with_public_key_as_secret, [attacks.public_jwk("first")]),
    "with a secret among the public keys": (attacks.with_secret_jwk, [attacks.secret_jwk()]),
    "with a key of somebody else": (attacks.with_another_key, [attacks.public_jwk("first")]),
    "with an unknown key": (attacks.with_unknown_key, [attacks.public_jwk("first")]),
    "changed afterwards": (attacks.with_changed_claims, [attacks.public_jwk("first")]),
    "with a key for encryption": (attacks.honest, [attacks.public_jwk("first", use="enc")]),
    "with a key for another algorithm": (attacks.honest, [attacks.public_jwk("first", alg="PS256")]),
    "with a key of another kind": (attacks.honest, [attacks.curve_jwk() | {"kid": "first"}]),
    "without keys": (attacks.honest, []),
    "that is no token": (lambda _: "nonsense", [attacks.public_jwk("first")]),
}


@proves("people", 9)
@pytest.mark.parametrize("lie", SIGNATURES)
async def test_an_id_token_is_not_believed(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow, lie: str
) -> None:
    flow = make_flow()
    returned = await begun(flow, database, hostile)
    hostile.sign, hostile.keys = SIGNATURES[lie]

    assert await failure(flow, database, returned) is Failure.TOKEN


async def test_keys_of_curves_are_believed(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    flow = make_flow()
    hostile.sign, hostile.keys = attacks.with_curve, [attacks.public_jwk("first"), attacks.curve_jwk()]

    assert (await back(flow, database, await begun(flow, database, hostile))).secret


async def test_a_state_works_once_for_ten_minutes_and_in_its_own_browser(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow, clock: MovedClock
) -> None:
    flow = make_flow()
    returned = await begun(flow, database, hostile)
    other = await begun(flow, database, hostile)
    # What the victim's browser would bring to the sign-in of an attacker, and the other way round.
    for stolen in (
        structs.replace(returned, secret=other.secret),
        structs.replace(returned, secret=None),
        structs.replace(returned, secret=""),
        structs.replace(returned, state="unknown"),
        structs.replace(returned, state=""),
    ):
        assert await failure(flow, database, stolen) is Failure.STATE
    hostile.sent((await flow.begin(database, return_to="/", secret=None, network=NETWORK)).url)

    await clock.advance(STATE_SECONDS)
    assert await failure(flow, database, other) is Failure.STATE

    again = await begun(flow, database, hostile)
    assert (await back(flow, database, again)).secret
    assert await failure(flow, database, again) is Failure.STATE
    assert len(hostile.forms) == 1


async def test_the_answer_of_another_provider_is_refused(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    """Mix-up: the browser comes back with a code of one provider as if it came from the other."""
    flow = make_flow()
    returned = await begun(flow, database, hostile)
    assert (
        await failure(flow, database, structs.replace(returned, issuer="https://evil.example"))
        is Failure.STATE
    )

    hostile.metadata = {"authorization_response_iss_parameter_supported": True}
    strict = make_flow()
    silent = await begun(strict, database, hostile)
    assert await failure(strict, database, silent) is Failure.STATE

    told = structs.replace(await begun(strict, database, hostile), issuer=hostile.issuer)
    assert (await back(strict, database, told)).secret
    # One that began at another provider, before the settings were changed.
    before = await begun(strict, database, hostile)
    async with attacks.hostile_provider() as elsewhere:
        assert await failure(flow_at(elsewhere.issuer), database, before) is Failure.STATE
        assert elsewhere.forms == []


@pytest.mark.parametrize(
    "lie",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://evil.example/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": None},
    ],
)
async def test_a_provider_that_tells_nonsense_of_itself_is_not_used(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow, lie: dict[str, Any]
) -> None:
    hostile.metadata = lie

    with pytest.raises(NotSignedIn) as refused:
        await make_flow().begin(database, return_to="/", secret=None, network=NETWORK)

    assert refused.value.failure is Failure.AWAY


async def test_what_the_provider_tells_elsewhere_has_to_be_of_the_same_person(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    flow = make_flow(groups_claim="groups", required_group="staff")
    hostile.userinfo = {"sub": "olaf-1", "groups": ["staff"]}
    assert await failure(flow, database, await begun(flow, database, hostile)) is Failure.TOKEN

    hostile.userinfo = {"sub": "anna-1", "groups": ["staff"], "preferred_username": "admin"}
    assert (await back(flow, database, await begun(flow, database, hostile))).secret
    assert await database.read(lambda tx: tx.one("user_named", "anna")) is not None


async def test_a_refusal_at_the_provider_and_one_that_is_away_are_told_apart(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow, clock: MovedClock
) -> None:
    flow = make_flow()
    refused = structs.replace(await begun(flow, database, hostile), error="access_denied", code="")
    assert await failure(flow, database, refused) is Failure.REFUSED

    returned = await begun(flow, database, hostile)
    hostile.is_down = True
    assert await failure(flow, database, returned) is Failure.REFUSED
    with pytest.raises(NotSignedIn) as away:
        await make_flow().begin(database, return_to="/", secret=None, network=NETWORK)
    assert away.value.failure is Failure.AWAY

    await clock.advance(11)
    failed = await read_audit(database, AuditFilter(deed="sign_in.fail"))
    assert [(row.address, row.changes) for row in failed[-2:]] == [
        ("192.0.2.1", '{"method":"oidc","why":"refused"}')
    ] * 2


async def test_keys_are_remembered_and_for_an_unknown_one_read_again_once_a_minute(
    database: Database, hostile: HostileProvider, make_flow: MakeFlow
) -> None:
    now = 0.0
    flow = make_flow(monotonic=lambda: now)

    async def attempt() -> bool:
        returned = await begun(flow, database, hostile)
        try:
            return bool((await back(flow, database, returned)).secret)
        except NotSignedIn:
            return False

    assert await attempt()
    assert await attempt()
    assert hostile.asked.count("/keys") == 1
    # The provider signs with another key from now on.
    hostile.sign, hostile.keys = attacks.with_unknown_key, [attacks.other_jwk()]
    assert not await attempt()
    assert hostile.asked.count("/keys") == 1
    now = ASKED_AGAIN_SECONDS
    assert await attempt()
    assert hostile.asked.count("/keys") == 2
    # Whoever makes up key ids does not have us ask for each of them.
    hostile.sign = attacks.honest
    assert [await attempt() for _ in range(3)] == [False] * 3
    assert hostile.asked.count("/keys") == 2
    hostile.sign = attacks.with_unknown_key
    now += KNOWN_SECONDS
    assert await attempt()
    assert hostile.asked.count("/keys") == 3
