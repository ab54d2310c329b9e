"""Which MCP servers a chat uses is chosen where its messages are written, and for whom they are elsewhere."""

import re

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, send
from tests.browser.looking import Watch, accessibility, shot
from tests.browser.program import Server

OWN_SERVER = True


def add(server: Server, slug: str, availability: str) -> str:
    body = {
        "slug": slug,
        "display_name": slug.capitalize(),
        "transport": "streamable_http",
        "url": f"http://127.0.0.1:9/{slug}",
        "availability": availability,
        "scope": "deployment",
    }
    return str(server.ask("POST", "/mcp-servers", body)["id"])


def test_servers_are_chosen_for_a_new_chat_and_changed_later(signed_in: Page, server: Server) -> None:
    page = signed_in
    usual, rare = add(server, "usual", "default_on"), add(server, "rare", "default_off")
    page.reload()
    page.get_by_role("button", name="MCP servers: 1 on").click()
    choice = page.get_by_role("group", name="MCP servers of this chat")
    expect(choice.get_by_label("Usual")).to_be_checked()
    choice.get_by_label("Rare").click()
    expect(choice.get_by_label("Rare")).to_be_checked()
    assert accessibility(page) == []
    shot(page, "mcp-servers")
    page.keyboard.press("Escape")
    send(page, "say Hello.")
    expect(agent(page)).to_contain_text("Hello.")

    chat = f"/chats/{page.url.rpartition('/')[2]}"
    assert sorted(server.ask("GET", chat)["mcp_servers"]) == sorted([usual, rare])
    page.get_by_role("button", name="MCP servers: 2 on").click()
    with page.expect_response(lambda response: "mcp_servers" in (response.request.post_data or "")):
        choice.get_by_label("Usual").click()
    expect(choice.get_by_label("Usual")).not_to_be_checked()
    assert server.ask("GET", chat)["mcp_servers"] == [rare]


def test_an_administrator_gives_a_server_to_a_group(signed_in: Page, server: Server, watch: Watch) -> None:
    page = signed_in
    add(server, "shelf", "default_on")
    server.ask("POST", "/groups", {"name": "Research"})
    desk = add(server, "desk", "default_on")
    page.goto(f"{server.address}/settings/mcp")
    page.get_by_role("button", name="Actions of desk").click()
    page.get_by_role("menuitem", name="Give to groups…").click()
    groups = page.get_by_label("Only for groups (optional)")
    groups.fill("Nowhere")
    page.get_by_role("button", name="Save groups").click()
    expect(page.get_by_text("There are no such groups: 'Nowhere'.")).to_be_visible()
    watch.expect("status of 400")
    groups.fill("research")
    assert accessibility(page) == []
    shot(page, "mcp-groups")
    page.get_by_role("button", name="Save groups").click()

    expect(page.get_by_text("For Research", exact=True)).to_be_visible()
    expect(page.get_by_text("Not for you")).to_be_visible()
    assert [each["name"] for each in server.ask("GET", f"/mcp-servers/{desk}")["groups"]] == ["Research"]
    # It is no choice for chats of somebody who is not in the group.
    page.goto(server.address)
    page.get_by_role("button", name=re.compile("MCP servers: . on")).click()
    choice = page.get_by_role("group", name="MCP servers of this chat")
    expect(choice.get_by_label("Shelf")).to_be_visible()
    expect(choice.get_by_label("Desk")).to_have_count(0)
