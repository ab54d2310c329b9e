"""Settings: what is entered is kept, what is wrong is said at its place, and a key is never shown again."""

from playwright.sync_api import Page, expect

from tests.browser.looking import shot
from tests.browser.program import Server
from tests.traceability import proves

OWN_SERVER = True

KEY = "sk-never-shown-again-1234"


def test_a_provider_is_added_with_a_key_that_is_never_shown_and_its_model_is_tried(
    signed_in: Page, server: Server
) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/models")
    page.get_by_role("button", name="Add provider").click()
    provider = page.get_by_role("form", name="Add a provider")
    provider.get_by_role("button", name="Add provider").click()
    expect(provider.get_by_role("alert")).to_contain_text("Enter a key")
    provider.get_by_label("Type").select_option("openai-compatible")
    # Nothing listens there, and nothing ever will.
    provider.get_by_role("textbox", name="Address").fill("http://127.0.0.1:1/v1")
    provider.get_by_role("textbox", name="API key (optional)").fill(KEY)
    provider.get_by_role("button", name="Add provider").click()

    model = page.get_by_role("form", name="Add a model")
    model.get_by_role("combobox", name="Model", exact=True).fill("tiny")
    model.get_by_role("button", name="Add model").click()
    page.get_by_role("button", name="Test local/tiny").click()

    expect(page.get_by_role("status").filter(has_text="connection was refused")).to_be_visible()
    expect(page.get_by_text("Key …1234")).to_be_visible()
    assert KEY not in page.content()
    shot(page, "settings-models")


@proves("web-ui", 62)
def test_a_file_that_is_no_skill_leaves_the_fields_as_they_are(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/skills")
    page.get_by_role("button", name="New skill").click()
    page.get_by_role("textbox", name="Name").fill("keep-me")

    page.get_by_label("A SKILL.md to import").set_input_files(
        {"name": "notes.md", "mimeType": "text/markdown", "buffer": b"# Only notes"}
    )

    expect(page.get_by_role("alert")).to_contain_text("no front matter")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("keep-me")
    shot(page, "settings-skill-refused")


def test_a_new_rule_is_the_first_that_is_tried_and_can_be_moved(signed_in: Page, server: Server) -> None:
    page = signed_in
    page.goto(f"{server.address}/settings/rules")
    for command in ("git push *", "ls *"):
        page.get_by_role("button", name="Add rule").click()
        form = page.get_by_role("form", name="Add a rule")
        form.get_by_role("textbox", name="Command").fill(command)
        form.get_by_role("button", name="Add rule").click()
        expect(form).to_have_count(0)
    rules = page.get_by_role("list", name="Rules, in the order").get_by_role("listitem")
    expect(rules.first).to_contain_text("ls")

    rules.first.get_by_role("button", name="Try later").click()

    expect(rules.first).to_contain_text("git push")
    shot(page, "settings-rules")
