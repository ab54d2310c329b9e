"""The page of the guide on embedding, in a browser: it asks twice, and outlives a restart of chatd."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import DESKTOP, PATIENCE_MILLISECONDS
from tests.browser.looking import ROOT, Watch, shot
from tests.browser.program import Server, free_port, serving
from tests.cli.program import environment_for

SCRIPT = 'call order_status {"order": "1001"}\nnext\nsay It is on its way.'
SCOPES = ["act_as", "chats:read", "chats:write", "files:write", "models:read"]


@contextmanager
def the_shop(home: Path, server: Server, port: int) -> Iterator[str]:
    service = server.ask("POST", "/services", {"name": "shop", "acts_for": "end_users"})
    token = server.ask("POST", f"/users/{service['id']}/tokens", {"name": "backend", "scopes": SCOPES})
    more = {"CHATD_URL": server.address, "SHOP_TOKEN": token["token"], "PORT": str(port)}
    with subprocess.Popen(
        [sys.executable, str(ROOT / "docs/examples/embed/shop.py")],
        stdout=subprocess.PIPE,
        env=environment_for(home, more),
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
        process.terminate()


def ask(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Question").fill(text)
    page.get_by_role("button", name="Ask").click()


def test_a_customer_asks_twice_in_one_chat_also_when_chatd_was_restarted_in_between(
    browser: Browser, tmp_path: Path
) -> None:
    port = free_port()
    origins = {"CHATD_CORS_ORIGINS": f"http://127.0.0.1:{port}"}
    with serving(tmp_path, more=origins) as server, the_shop(tmp_path, server, port) as shop:
        context = browser.new_context(viewport=DESKTOP)
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        page = context.new_page()
        watch = Watch(page, shop)
        page.goto(shop)
        said = page.get_by_role("log")
        ask(page, SCRIPT)
        expect(said).to_contain_text("assistant: It is on its way.")
        ask(page, "say And it is large.")
        expect(said).to_contain_text("assistant: And it is large.")
        shot(page, "embedded-shop")
        # Its scripts ask the shop and chatd, and no other host.
        watch.expect(f"request to elsewhere: {server.address}/")
        assert watch.complaints == []

        server.kill()
        server.start()
        ask(page, "say It goes on.")
        expect(said).to_contain_text("assistant: It goes on.")
        expect(page.get_by_role("alert")).to_be_empty()
        context.close()
        [customer] = server.ask("GET", f"/services/{service_id(server)}/end-users")["users"]

    assert customer["external_id"] == "customer-7"


def service_id(server: Server) -> str:
    [service] = server.ask("GET", "/services")["services"]
    return str(service["id"])
