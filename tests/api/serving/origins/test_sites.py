import pytest
from starlette.datastructures import Headers

from chatd.accounts.ways_in.sign_ins import Browser
from chatd.api.app import build
from chatd.api.serving.callers.auth import Visit
from chatd.api.serving.origins.sites import Sites, name_of, sites_at
from chatd.storage.transactions.transact import Store
from tests.api.client import CHATS, Client
from tests.traceability import proves

PUBLIC = Sites(public_origin="https://example.org")


def meant_for(sites: Sites, host: str) -> bool:
    return sites.serves(Headers({"host": host}))


@pytest.mark.parametrize("host", ["localhost:8787", "127.0.0.1", "[::1]:80", "LOCALHOST."])
def test_a_server_for_this_machine_answers_for_the_names_of_this_machine(host: str) -> None:
    sites = sites_at(listen="127.0.0.1", public_url=None, allowed_hosts=())

    assert meant_for(sites, host)
    assert not meant_for(sites, "evil.example:8787")
    assert not meant_for(sites, "")


def test_the_allowed_hosts_come_before_the_public_address() -> None:
    public = sites_at(listen="0.0.0.0", public_url="https://Example.org:8443/agents", allowed_hosts=())  # noqa: S104
    listed = sites_at(listen="10.0.0.1", public_url="https://example.org", allowed_hosts=["a.example"])

    assert meant_for(public, "example.org")
    assert not meant_for(public, "a.example")
    assert meant_for(listed, "a.example:80")
    assert not meant_for(listed, "example.org")
    # The commands on the machine itself use these.
    assert meant_for(public, "127.0.0.1:8787")
    assert meant_for(listed, "10.0.0.1:8787")


def test_a_server_for_others_that_was_told_no_host_answers_for_any() -> None:
    sites = sites_at(listen="0.0.0.0", public_url=None, allowed_hosts=())  # noqa: S104 - nothing is bound

    assert sites.hosts is None


@pytest.mark.parametrize(
    ("host", "name"),
    [("Example.ORG:80", "example.org"), ("[::1]", "[::1]"), ("[::1]:80", "[::1]"), ("a.:x", "a.:x")],
)
def test_a_host_is_compared_without_its_port(host: str, name: str) -> None:
    assert name_of(host) == name


@pytest.mark.parametrize(
    ("host", "origin", "is_own"),
    [
        ("127.0.0.1:8787", "http://127.0.0.1:8787", True),
        ("chat.example", "https://chat.example", True),
        ("chat.example", "https://chat.example:444", False),
        ("example.org", "https://example.org", True),
        ("example.org", "http://example.org", False),
        # A proxy that does not pass the host on.
        ("127.0.0.1:8787", "https://example.org", True),
    ],
)
def test_a_page_of_ours_has_the_host_of_the_request_or_of_the_public_address(
    host: str, origin: str, *, is_own: bool
) -> None:
    assert PUBLIC.is_own(Headers({"host": host, "origin": origin})) is is_own


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("a socket", "a socket"),
    ],
)
def test_requests_from_one_network_are_counted_together(address: str, network: str) -> None:
    visit = Visit(
        browser=Browser(address, ""), cookie=None, oidc_cookie=None, is_secure=False, request_id="1"
    )

    assert visit.network == network


@proves("people", 82)
async def test_a_request_for_another_host_is_refused(store: Store) -> None:
    client = Client(build(store, sites=sites_at(listen="127.0.0.1", public_url=None, allowed_hosts=())))
    foreign = {"host": "evil.example"}

    for path in (CHATS, "/", "/api/v1/auth/methods", "/metrics"):
        refused = await client.ask("GET", path, headers=foreign)
        assert (refused.status, refused.error["code"]) == (421, "unknown_host")
    for path in ("/healthz", "/readyz"):
        assert (await client.ask("GET", path, headers=foreign)).status == 200
