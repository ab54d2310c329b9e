import re

from hypothesis import example, given
from hypothesis import strategies as st

from chatd.mcp.tools.names import distinct, tool_name
from tests.mcp.running import HOSTILE, a_bench, program
from tests.traceability import proves


@proves("mcp-skills-hooks", 25)
@example([("s" * 80, "t" * 80), ("s" * 80, "t" * 81), ("a.b", "c d"), ("a b", "c.d")])
@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=30))
def test_names_are_such_that_every_provider_takes_them_and_each_is_there_once(
    pairs: list[tuple[str, str]],
) -> None:
    names = distinct(tool_name(slug, tool) for slug, tool in pairs)

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) for name in names)


def test_of_names_that_are_the_same_the_first_stays_as_it_is() -> None:
    assert distinct(["a", "b", "a", "a", "a_2"]) == ["a", "b", "a_2", "a_3", "a_2_2"]


@proves("mcp-skills-hooks", 25)
async def test_servers_with_the_same_slug_have_names_of_their_own_whether_they_answer_or_not() -> None:
    down = program("-c", "raise SystemExit(1)", id="m-1", slug="git hub")
    up = program("-I", HOSTILE, "names", id="m-2", slug="git.hub")
    async with a_bench(down, up) as bench:
        names = await bench.names()

    assert "git_hub_2__read_file" in names
    assert "git_hub_2__read_file_2" in names
    assert not any(name.startswith("git_hub__") for name in names)
