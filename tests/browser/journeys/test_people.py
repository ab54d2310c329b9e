"""People: somebody is invited, a chat is shared with them and taken back, and the audit tells of it."""

from playwright.sync_api import Browser, Page, expect

from tests.browser.chatting import agent, is_at_rest, send
from tests.browser.conftest import DESKTOP, PATIENCE_MILLISECONDS
from tests.browser.looking import accessibility, shot
from tests.browser.neighbours import add_member, shots, signed_in_as
from tests.browser.program import Server

OWN_SERVER = True


def invite(page: Page, server: Server, name: str) -> str:
    """The link that the page shows for a new member."""
    page.goto(f"{server.address}/settings/users")
    page.get_by_role("button", name="Invite").click()
    form = page.get_by_role("form", name="Invite somebody")
    form.get_by_role("textbox", name="Name", exact=True).fill(name)
    form.get_by_role("button", name="Make a link").click()
    link = page.get_by_role("status").filter(has_text="Give").get_by_role("code").inner_text()
    expect(page.get_by_role("list", name="Users").get_by_text(name).first).to_be_visible()
    return link


def test_somebody_is_invited_and_reads_a_chat_until_it_is_shared_no_more(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    link = invite(page, server, "anna")
    shot(page, "people-users")
    assert accessibility(page) == []
    chat_id = server.start_chat("say Phobos is the larger moon.")
    page.goto(f"{server.address}/chats/{chat_id}")
    is_at_rest(page)
    page.get_by_role("button", name="Actions for this chat").click()
    page.get_by_role("menuitem", name="Share…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Share with").fill("ann")
    dialog.get_by_role("button", name="anna").click()
    expect(dialog.get_by_role("combobox", name="What anna can do")).to_have_value("reader")
    dialog.get_by_role("combobox", name="How long anna can").select_option("For 7 days")
    expect(dialog.get_by_role("combobox", name="How long anna can")).to_contain_text("Until ")
    # Another role does not take the end away.
    dialog.get_by_role("combobox", name="What anna can do").select_option("writer")
    expect(dialog.get_by_role("combobox", name="What anna can do")).to_have_value("writer")
    dialog.get_by_role("combobox", name="What anna can do").select_option("reader")
    expect(dialog.get_by_role("combobox", name="What anna can do")).to_have_value("reader")
    [grant] = server.ask("GET", f"/chats/{chat_id}/grants")["grants"]
    assert grant["expires_at"] is not None
    shots(page, "people-share")
    assert accessibility(page) == []

    elsewhere = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
    elsewhere.set_default_timeout(PATIENCE_MILLISECONDS)
    anna = elsewhere.new_page()
    anna.goto(link)
    anna.get_by_role("textbox", name="Message").wait_for()
    anna.goto(f"{server.address}/?shared=1")
    anna.get_by_role("link", name="say Phobos is the larger moon.").click()
    expect(agent(anna)).to_contain_text("Phobos is the larger moon.")
    expect(anna.get_by_text("You can read it, and not speak in it.")).to_be_visible()
    expect(anna.get_by_role("textbox", name="Message")).to_have_count(0)
    shot(anna, "people-shared-with-me")
    anna.goto(f"{server.address}/settings/users")
    expect(anna.get_by_text("This page is for administrators.")).to_be_visible()
    expect(anna.get_by_role("navigation", name="Settings").get_by_text("People")).to_have_count(0)
    anna.goto(f"{server.address}/chats/{chat_id}")
    expect(agent(anna)).to_contain_text("Phobos")

    dialog.get_by_role("button", name="Remove anna").click()
    expect(dialog.get_by_text("Only you see this chat.")).to_be_visible()
    expect(anna.get_by_text("This chat was deleted, or is not shared with you any more.")).to_be_visible()
    elsewhere.close()


def test_messages_of_others_have_their_names_and_ones_own_do_not(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    link = add_member(server, "berta", display_name="Berta Brandt")
    chat_id = server.start_chat("say Phobos is a moon.")
    server.ask("PUT", f"/chats/{chat_id}/grants/user/berta", {"role": "writer"})
    page.goto(f"{server.address}/chats/{chat_id}")
    is_at_rest(page)
    with signed_in_as(browser, link) as berta:
        berta.goto(f"{server.address}/chats/{chat_id}")
        expect(berta.get_by_role("article", name="admin")).to_contain_text("say Phobos is a moon.")
        send(berta, "say Deimos is another.")
        expect(berta.get_by_role("article", name="You", exact=True)).to_contain_text("Deimos")
        is_at_rest(berta)
        expect(page.get_by_role("article", name="Berta Brandt")).to_contain_text("say Deimos is another.")
        expect(page.get_by_role("article", name="You", exact=True)).to_have_count(1)
        shots(page, "people-who-wrote")
        assert accessibility(page) == []

        send(page, "wait 30")
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        send(berta, "say I wait.")
        expect(page.get_by_role("region", name="Queue")).to_contain_text("Berta Brandt: say I wait.")
        shot(page, "people-who-waits")
        page.get_by_role("button", name="Stop", exact=True).click()


def test_a_group_is_made_and_somebody_is_put_into_it(signed_in: Page, server: Server) -> None:
    page = signed_in
    invite(page, server, "olaf")
    page.goto(f"{server.address}/settings/groups")
    page.get_by_role("button", name="New group").click()
    page.get_by_role("form", name="New group").get_by_role("textbox", name="Name").fill("Support")
    page.get_by_role("button", name="Make group").click()
    page.get_by_role("button", name="Members of Support").click()
    page.get_by_role("textbox", name="Add somebody to Support").fill("ola")
    page.get_by_role("list", name="Found").get_by_role("button", name="olaf").click()

    expect(page.get_by_role("list", name="Members of Support")).to_contain_text("olaf")
    expect(page.get_by_text("1 member", exact=True)).to_be_visible()
    page.get_by_role("button", name="Rename Support").click()
    form = page.get_by_role("form", name="Rename Support")
    form.get_by_role("textbox", name="New name").fill("Helpdesk")
    shots(page, "people-group-renamed")
    form.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("button", name="Members of Helpdesk")).to_be_visible()
    shot(page, "people-groups")
    assert accessibility(page) == []


def test_who_was_let_in_with_a_group_is_not_offered_to_leave(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    group = server.ask("POST", "/groups", {"name": "Crew"})["id"]
    link = add_member(server, "carla", groups=[group])
    by_group = server.start_chat("say For the crew.")
    by_name = server.start_chat("say For Carla.")
    server.ask("PUT", f"/chats/{by_group}/grants/group/{group}", {"role": "reader"})
    server.ask("PUT", f"/chats/{by_name}/grants/user/carla", {"role": "reader"})

    with signed_in_as(browser, link) as carla:
        for chat_id, offered in ((by_name, 1), (by_group, 0)):
            carla.goto(f"{server.address}/chats/{chat_id}")
            expect(agent(carla)).to_be_visible()
            carla.get_by_role("button", name="Actions for this chat").click()
            expect(carla.get_by_role("menuitem", name="Mute")).to_be_visible()
            expect(carla.get_by_role("menuitem", name="Leave…")).to_have_count(offered)


def test_a_browser_of_somebody_is_signed_out(signed_in: Page, server: Server, browser: Browser) -> None:
    page = signed_in
    with signed_in_as(browser, add_member(server, "dora")) as dora:
        page.goto(f"{server.address}/settings/users")
        page.get_by_role("button", name="Actions for dora").click()
        page.get_by_role("menuitem", name="Tokens and sign-ins").click()
        browsers = page.get_by_role("list", name="Sign-ins of dora").get_by_role("listitem")
        expect(browsers).to_have_count(1)
        shots(page, "people-sign-ins")
        assert accessibility(page) == []
        browsers.get_by_role("button", name="Sign out").click()
        expect(page.get_by_text("dora is signed in in no browser.")).to_be_visible()
        dora.reload()
        expect(dora.get_by_role("navigation", name="Chats")).to_have_count(0)


def test_somebody_is_suspended_and_let_in_again(signed_in: Page, server: Server, browser: Browser) -> None:
    page = signed_in
    with signed_in_as(browser, add_member(server, "emil")) as emil:
        page.goto(f"{server.address}/settings/users")
        suspend(page, "emil")
        emil.reload()
        expect(emil.get_by_role("navigation", name="Chats")).to_have_count(0)
    page.get_by_role("button", name="Actions for emil").click()
    page.get_by_role("menuitem", name="Let in again").click()
    expect(page.get_by_text("Suspended")).to_have_count(0)
    assert not is_suspended(server, "users", "emil")

    server.ask("POST", "/services", {"name": "courier"})
    page.goto(f"{server.address}/settings/services")
    suspend(page, "courier")
    assert is_suspended(server, "services", "courier")


def is_suspended(server: Server, kind: str, name: str) -> bool:
    [found] = [each for each in server.ask("GET", f"/{kind}")[kind] if each["name"] == name]
    return found["suspended_at"] is not None


def suspend(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Actions for {name}").click()
    page.get_by_role("menuitem", name="Suspend…").click()
    dialog = page.get_by_role("dialog", name=f"Suspend {name}?")
    expect(dialog).to_contain_text("what was said is kept")
    dialog.get_by_role("button", name="Suspend").click()
    expect(page.get_by_text("Suspended")).to_be_visible()


def test_a_service_gets_a_token_that_is_shown_once(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/services")
    page.get_by_role("button", name="New service").click()
    page.get_by_role("form", name="New service").get_by_role("textbox", name="Name").fill("shop")
    page.get_by_role("button", name="Add service").click()
    page.get_by_role("button", name="Tokens of shop").click()
    page.get_by_role("button", name="New token for shop").click()
    form = page.get_by_role("form", name="New token")
    form.get_by_role("textbox", name="What it is for").fill("backend")
    form.get_by_role("button", name="Make token").click()
    token = page.get_by_role("status").filter(has_text="Copy it now").get_by_role("code").inner_text()
    shot(page, "people-services")
    assert accessibility(page) == []
    page.get_by_role("button", name="I have copied it").click()

    assert token.startswith("chatd_")
    assert token not in page.content()


def test_a_lost_token_of_a_service_is_revoked_and_the_service_deleted_and_brought_back(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    service = server.ask("POST", "/services", {"name": "prometheus", "role": "auditor"})
    token = {"name": "scraper", "scopes": ["metrics:read"]}
    server.ask("POST", f"/users/{service['id']}/tokens", token)
    page.goto(f"{server.address}/settings/services")
    page.get_by_role("button", name="Tokens of prometheus").click()
    tokens = page.get_by_role("list", name="Tokens of prometheus")
    expect(tokens).to_contain_text("To read the metrics")
    expect(tokens).to_contain_text("never used")
    shots(page, "people-service-tokens")
    page.get_by_role("button", name="Revoke scraper").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke token").click()
    expect(page.get_by_text("prometheus has no tokens.")).to_be_visible()
    assert server.ask("GET", f"/users/{service['id']}/tokens")["tokens"] == []

    page.get_by_role("button", name="Actions for prometheus").click()
    page.get_by_role("menuitem", name="Delete…").click()
    shot(page, "people-service-delete")
    assert accessibility(page) == []
    page.get_by_role("dialog").get_by_role("button", name="Delete service").click()
    expect(page.get_by_role("button", name="Actions for prometheus")).to_have_count(0)
    page.get_by_role("button", name="Bring back now").click()
    expect(page.get_by_role("button", name="Actions for prometheus")).to_be_visible()


def test_who_deletes_a_user_chooses_who_gets_their_chats(
    signed_in: Page, server: Server, browser: Browser
) -> None:
    page = signed_in
    add_member(server, "heir")
    with signed_in_as(browser, add_member(server, "leaver")) as leaver:
        send(leaver, "say Keep this.")
        leaver.wait_for_url("**/chats/*")
        is_at_rest(leaver)
        chat_id = leaver.url.rsplit("/", 1)[-1]
    page.goto(f"{server.address}/settings/users")
    page.get_by_role("button", name="Actions for leaver").click()
    page.get_by_role("menuitem", name="Delete…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Given to somebody").click()
    # Nobody is deleted before it is said who gets them.
    expect(dialog.get_by_role("button", name="Delete user")).to_be_disabled()
    dialog.get_by_role("textbox", name="Who gets them").fill("hei")
    dialog.get_by_role("list", name="Found").get_by_role("button", name="heir").click()
    shot(page, "people-delete")
    dialog.get_by_role("button", name="Delete user").click()
    expect(page.get_by_text("leaver is deleted.")).to_be_visible()
    page.goto(f"{server.address}/chats/{chat_id}")
    expect(page.get_by_text("This is a chat of heir.")).to_be_visible()


def test_a_token_of_ones_own_says_what_it_is_for_and_when_it_ends(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/access")
    page.get_by_role("button", name="New token").click()
    form = page.get_by_role("form", name="New token")
    form.get_by_role("textbox", name="What it is for").fill("dashboard")
    form.get_by_text("To read the metrics").click()
    form.get_by_role("combobox", name="It ends after").select_option("7")
    shots(page, "people-own-token")
    form.get_by_role("button", name="Make token").click()
    page.get_by_role("button", name="I have copied it").click()

    row = page.get_by_role("list", name="Tokens").get_by_role("listitem").filter(has_text="dashboard")
    expect(row).to_contain_text("To read the metrics")
    expect(row).to_contain_text("never used")
    made = [each for each in server.ask("GET", "/users/me/tokens")["tokens"] if each["name"] == "dashboard"]
    assert [each["scopes"] for each in made] == [["metrics:read"]]
    assert accessibility(page) == []


def test_the_audit_is_listed_and_verified(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/audit")
    page.get_by_role("button", name="Verify").click()

    expect(page.get_by_text("Nothing was changed:")).to_be_visible()
    add_member(server, "erika")
    page.get_by_role("textbox", name="Only this").fill("user.create")
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_label("Up to").fill("2099-12-31")
    page.get_by_role("textbox", name="By whom").fill("erik")
    page.get_by_role("list", name="Found").get_by_role("button", name="erika").click()
    expect(page.get_by_text("By erika")).to_be_visible()
    with page.expect_request(lambda request: "outcome=refused" in request.url) as asked:
        page.get_by_role("combobox", name="How it went").select_option("Refused")
    assert all(f"&{name}=" in asked.value.url for name in ("actor", "since", "until"))
    expect(page.get_by_text("Nothing of this was done")).to_be_visible()
    page.get_by_role("button", name="By anybody").click()
    shots(page, "people-audit")
    assert accessibility(page) == []
