from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from chatd.workspaces.local.files.reading import CollectedLines

Content = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"long line "]), max_size=40).map(
    b"".join
)


@given(
    content=Content,
    cuts=st.sets(st.integers(0, 200), max_size=5),
    first=st.integers(1, 5),
    count=st.integers(1, 12),
    line_bytes_max=st.integers(1, 20),
    bytes_max=st.integers(1, 120),
)
def test_lines_are_the_same_in_whichever_chunks_a_file_comes(
    content: bytes, cuts: set[int], first: int, count: int, line_bytes_max: int, bytes_max: int
) -> None:
    """Also one by one: then no lines are taken together."""
    places = [0, *sorted(cut for cut in cuts if cut < len(content)), len(content)]
    some = [content[start:end] for start, end in pairwise(places)]
    single = [content[place : place + 1] for place in range(len(content))]

    def read(chunks: list[bytes]) -> tuple[object, ...]:
        wanted = CollectedLines(first, count, line_bytes_max, bytes_max)
        for chunk in chunks:
            wanted.take(chunk)
        return wanted.end(), wanted.lines, wanted.is_cut

    assert read(some) == read([content]) == read(single)
