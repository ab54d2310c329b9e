from chatd.catalog.mcp.identity import Identity, with_identity
from tests.traceability import proves

IDENTITY = Identity(owner_id="u1", root_chat_id="c1")


def test_a_server_is_told_whose_call_it_is_and_in_which_chat() -> None:
    assert with_identity({"x-team": "blue"}, IDENTITY) == {
        "x-team": "blue",
        "X-Chatd-Owner-Id": "u1",
        "X-Chatd-Chat-Id": "c1",
    }


def test_a_chat_that_works_for_another_tells_both() -> None:
    told = with_identity({}, Identity(owner_id="u1", root_chat_id="c1", child_chat_id="c2"))

    assert (told["X-Chatd-Chat-Id"], told["X-Chatd-Child-Chat-Id"]) == ("c1", "c2")


@proves("mcp-skills-hooks", 32)
def test_a_key_in_a_header_of_the_identity_wins_however_it_is_spelled() -> None:
    key = {"x-chatd-OWNER-id": "the key"}

    assert with_identity(key, IDENTITY) == {"x-chatd-OWNER-id": "the key", "X-Chatd-Chat-Id": "c1"}
