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
