"""Somebody else, in a browser of their own."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, ViewportSize

from tests.browser.conftest import DESKTOP, PATIENCE_MILLISECONDS
from tests.browser.looking import shot
from tests.browser.program import Server

PHONE: ViewportSize = {"width": 390, "height": 780}


def add_member(server: Server, name: str, **fields: object) -> str:
    """A new user; the link that signs them in."""
    code = server.ask("POST", "/users", {"name": name, "role": "member", **fields})["code"]
    return f"{server.address}/sign-in#{code}"


@contextmanager
def signed_in_as(browser: Browser, link: str) -> Iterator[Page]:
    context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    page = context.new_page()
    page.goto(link)
    # Not the field for a message: viewers have none.
    page.get_by_role("navigation", name="Chats").wait_for()
    yield page
    context.close()


def shots(page: Page, name: str) -> None:
    """Light, dark, and on a phone; as before afterwards."""
    before = page.viewport_size
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        shot(page, f"{name}-{scheme}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    shot(page, f"{name}-phone")
    if before is not None:
        page.set_viewport_size(before)
