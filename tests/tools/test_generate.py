from tools import tool_reference
from tools.generate import pages, stale, state_machine


def test_the_generated_pages_are_what_the_code_says() -> None:
    assert stale() == [], "run `make fix`"


def test_the_pages_are_the_same_each_time() -> None:
    assert [page() for page in pages().values()] == [page() for page in pages().values()]


def test_a_cell_says_where_a_command_leads() -> None:
    rows = {line.split("|")[1].strip(): line for line in state_machine().splitlines() if line.startswith("|")}

    assert [cell.strip() for cell in rows["`Archive`"].strip("|").split("|")][1:] == [
        "waiting, archived", "", "", "", "", "", "", "error, archived", "error, queued, archived", "", "", "",
    ]  # fmt: skip


def test_an_argument_has_its_type_its_default_and_its_place_in_a_list() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in tool_reference.page().splitlines()]

    for row in (
        ["`limit`", "integer, 1 to 2000", "`200`"],
        ["`literal`", "boolean", "`false`"],
        ["`files[].edits`", "array, 1 to 500", "required"],
        ["`files[].edits[].old_text`", "string", "required"],
        ["`signal`", "`kill` or `terminate`", "required"],
    ):
        assert row in rows
