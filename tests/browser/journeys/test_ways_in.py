"""Signing in at an identity provider, and with a password."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.looking import Watch, accessibility_in_both_schemes, shot
from tests.browser.neighbours import add_member, shots
from tests.browser.program import Server, free_port, serving
from tests.support.identity_provider.running import (
    CLIENT_ID,
    CLIENT_SECRET,
    IdentityProvider,
    identity_provider,
)

PASSWORD = "a ladder of green tea"
SETTINGS = """\
passwords = true

[oidc]
issuer = "{issuer}"
client_id = "{client_id}"
client_secret = "{client_secret}"
display_name = "The firm"
scopes = ["openid", "profile", "groups"]
groups_claim = "groups"
required_group = "staff"
"""


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[IdentityProvider]:
    callback = f"http://127.0.0.1:{port}/api/v1/auth/oidc/callback"
    with identity_provider(tmp_path_factory.mktemp("provider"), callback) as running:
        yield running


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, provider: IdentityProvider, port: int
) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("server-with-ways-in")
    (home / "chatd.toml").write_text(
        SETTINGS.format(issuer=provider.issuer, client_id=CLIENT_ID, client_secret=CLIENT_SECRET)
    )
    with serving(home, more={"CHATD_CONFIG": str(home / "chatd.toml")}, port=port) as started:
        yield started


def test_a_person_signs_in_at_the_identity_provider(
    page: Page, server: Server, provider: IdentityProvider, watch: Watch
) -> None:
    provider.knows(anna={"preferred_username": "anna"}, olaf={"groups": ["staff"]})
    page.goto(f"{server.address}/new")
    expect(page.get_by_role("link", name="Sign in with The firm")).to_be_visible()
    assert accessibility_in_both_schemes(page) == []
    shot(page, "sign-in-ways")

    # Who is not in the group is told so, and can try again as somebody who is.
    page.get_by_role("link", name="Sign in with The firm").click()
    at_the_provider(page, provider, "anna")
    expect(page.get_by_role("alert")).to_contain_text("You are not in a group that may come in.")
    assert accessibility_in_both_schemes(page) == []
    shot(page, "sign-in-failed")

    page.context.clear_cookies()
    page.goto(f"{server.address}/new")
    page.get_by_role("link", name="Sign in with The firm").click()
    at_the_provider(page, provider, "olaf")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    assert page.url == f"{server.address}/new"
    # Before the sign-in; and on the provider's own pages, which take their letters from elsewhere.
    watch.expect(f"401|{re.escape(provider.issuer)}|fonts.googleapis.com")


def test_a_person_signs_in_with_a_password(page: Page, server: Server, watch: Watch) -> None:
    server.ask("PATCH", "/users/me", {"password": {"new": PASSWORD}})
    page.goto(server.address)
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill("something else entirely")
    page.get_by_role("button", name="Sign in", exact=True).first.click()
    expect(page.get_by_text("The name or the password is wrong.")).to_be_visible()
    shot(page, "sign-in-wrong-password")
    assert accessibility_in_both_schemes(page) == []

    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).first.click()
    expect(page.get_by_role("navigation", name="Chats")).to_be_visible()
    watch.expect("401")


def at_the_provider(page: Page, provider: IdentityProvider, login: str) -> None:
    """Its two forms: who it is, and that chatd may know it. Pages of ours have fields and buttons, too."""
    page.wait_for_url(f"{provider.issuer}/**")
    page.get_by_role("textbox").first.fill(login)
    page.get_by_role("textbox").nth(1).fill("any will do")
    page.get_by_role("button").first.click()
    page.get_by_role("button", name="Continue").click()


def test_an_own_account_is_changed_in_the_settings(
    page: Page, server: Server, provider: IdentityProvider, watch: Watch
) -> None:
    """The display name, a password that is chosen and changed, and who one is at the provider."""
    provider.knows(lovelace={"groups": ["staff"]})
    page.goto(add_member(server, "ada"))
    page.get_by_role("textbox", name="Message").wait_for()
    page.get_by_role("button", name="ada", exact=True).click()
    page.get_by_role("menuitem", name="Your account").click()
    expect(page.get_by_role("heading", name="Account")).to_be_visible()
    name = page.get_by_role("textbox", name="Display name")
    name.fill("Ada L.")
    with page.expect_response("**/users/me"):
        page.get_by_role("form", name="Name").get_by_role("button", name="Save").click()
    page.goto(f"{server.address}/settings/account")
    expect(name).to_have_value("Ada L.")
    page.goto(f"{server.address}/new")
    expect(page.get_by_role("button", name="Ada L.")).to_be_visible()

    page.goto(f"{server.address}/settings/account")
    page.get_by_role("button", name="Choose a password").click()
    form = page.get_by_role("form", name="Choose a password")
    form.get_by_role("textbox", name="New password").fill("short")
    form.get_by_role("button", name="Choose a password").click()
    expect(form.get_by_text("It needs at least 12 characters.")).to_be_visible()
    form.get_by_role("textbox", name="New password").fill(PASSWORD)
    form.get_by_role("textbox", name="Once more").fill(PASSWORD)
    shots(page, "account-password")
    assert accessibility_in_both_schemes(page) == []
    page.emulate_media(color_scheme="light")
    form.get_by_role("button", name="Choose a password").click()
    page.get_by_role("button", name="Change password").click()
    form = page.get_by_role("form", name="Change password")
    form.get_by_role("textbox", name="Your password").fill("not this one at all")
    form.get_by_role("textbox", name="New password").fill(PASSWORD + "!")
    form.get_by_role("textbox", name="Once more").fill(PASSWORD + "!")
    form.get_by_role("button", name="Change password").click()
    expect(form.get_by_text("This is not your password.")).to_be_visible()
    form.get_by_role("textbox", name="Your password").fill(PASSWORD)
    form.get_by_role("button", name="Change password").click()
    expect(form).to_have_count(0)

    # Back from the provider, she is known there.
    page.get_by_role("button", name="Connect to The firm").click()
    at_the_provider(page, provider, "lovelace")
    known = page.get_by_role("list", name="Identities")
    expect(known).to_contain_text("lovelace")
    expect(known).to_contain_text("last sign-in just now")
    assert page.url == f"{server.address}/settings/account"
    shots(page, "account")
    assert accessibility_in_both_schemes(page) == []
    watch.expect(f"40[01]|{re.escape(provider.issuer)}|fonts.googleapis.com")
