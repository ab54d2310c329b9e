"""What journeys are told with: a message that is sent, an answer that comes, a chat that is opened."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.program import Server


def send(page: Page, script: str) -> None:
    page.get_by_role("textbox", name="Message").fill(script)
    button = page.get_by_role("button", name="Send", exact=True)
    expect(button).to_be_enabled()
    # By its key: a click would depend on where the button is.
    button.press("Enter")


def agent(page: Page) -> Locator:
    """What the agent says, message by message."""
    return page.get_by_role("article", name="Agent")


def open_chat(page: Page, server: Server, script: str, **fields: object) -> str:
    """A chat that works in the server's workspace. Returns its id."""
    chat_id = server.start_chat(script, **{"workspace": ".", **fields})
    page.goto(f"{server.address}/chats/{chat_id}")
    return chat_id


def is_at_rest(page: Page) -> None:
    """The agent has nothing to do: there is nothing to stop."""
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
