"""What an agent has changed in files, beside the chat, and the way back."""

import json

from playwright.sync_api import Page, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.looking import accessibility, drawn_colour, shot
from tests.browser.program import Server

OWN_SERVER = True

# As theme.css has them, in light.
PLAIN, ADDED, REMOVED = (255, 255, 255), (232, 246, 236), (253, 238, 236)


def writing(**files: str) -> str:
    calls = (
        f"call write_file {json.dumps({'path': name.replace('_', '.'), 'content': text})}"
        for name, text in files.items()
    )
    return "\n".join([*calls, "next", "say Written."])


def colours_of_newest_diff(page: Page) -> list[tuple[int, int, int]]:
    """Of its lines, without the one that says where they are."""
    rows = page.get_by_role("group", name="Changes of a.txt").last.get_by_role("row")
    expect(rows).to_have_count(5)
    return [drawn_colour(page, row) for row in rows.all()[1:]]


def test_files_are_brought_back_as_they_were_and_that_is_taken_back(signed_in: Page, server: Server) -> None:
    page = signed_in
    server.ask("POST", "/rules", {"verdict": "allow", "tool": "write_file"})
    old, new = server.workspace / "a.txt", server.workspace / "b.txt"
    old.write_text("one\ntwo\nthree\n")
    open_chat(page, server, writing(a_txt="one\n2\nthree\n", b_txt="new\n"))
    expect(agent(page).last).to_contain_text("Written.")
    send(page, writing(a_txt="one\n2\n3\n"))
    is_at_rest(page)

    page.keyboard.press("Control+.")
    panel = page.get_by_role("complementary", name="Details")
    expect(panel).to_contain_text("2 files changed")
    assert accessibility(page) == []
    assert colours_of_newest_diff(page) == [PLAIN, PLAIN, REMOVED, ADDED]
    shot(page, "changes")
    panel.get_by_role("button", name="Before and after side by side").click()
    shot(page, "changes-side-by-side")
    panel.get_by_role("button", name="Restore files").click()

    dialog = page.get_by_role("dialog", name="Restore files?")
    expect(dialog.get_by_role("listitem")).to_have_text(["a.txtis changed back", "b.txtis removed"])
    assert accessibility(page) == []
    shot(page, "restore")
    dialog.get_by_role("button", name="Restore files").click()
    expect(page.get_by_text("2 files restored.", exact=True)).to_be_visible()
    assert (old.read_text(), new.exists()) == ("one\ntwo\nthree\n", False)
    expect(page.get_by_role("log", name="Messages")).to_contain_text("Files were brought back")
    shot(page, "restored")

    # The turns stay in the list, although nothing of them is left.
    expect(panel).to_contain_text("Nothing is different: what was changed is as it was before.")
    expect(panel.get_by_role("combobox", name="Which changes").get_by_role("option")).to_have_count(3)

    panel.get_by_role("button", name="Take the last restore back").click()
    page.get_by_role("dialog").get_by_role("button", name="Take it back").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert (old.read_text(), new.read_text()) == ("one\n2\n3\n", "new\n")

    panel.get_by_role("button", name="Restore a.txt").click()
    dialog = page.get_by_role("dialog", name="Restore a.txt?")
    expect(dialog.get_by_role("listitem")).to_have_text(["a.txtis changed back"])
    shot(page, "restore-one")
    dialog.get_by_role("button", name="Restore the file").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(panel).to_contain_text("1 file changed")
    assert (old.read_text(), new.read_text()) == ("one\ntwo\nthree\n", "new\n")

    panel.get_by_role("button", name="Comment on line 1", exact=True).first.click()
    panel.get_by_role("textbox", name="Comment on line 1").fill("say Old it is.")
    shot(page, "comment")
    panel.get_by_role("button", name="Add to message").click()
    expect(page.get_by_role("list", name="Attachments")).to_contain_text("b.txt:1")
    assert accessibility(page) == []
    shot(page, "commented")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(agent(page).last).to_contain_text("Old it is.")
    expect(page.get_by_role("article", name="You").last).to_contain_text("b.txt:1")
