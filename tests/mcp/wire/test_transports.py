"""A real server over each transport: one that others published, and one made with the official package."""

from collections.abc import AsyncIterator

import pytest

from tests.mcp.running import Bench, Way, a_bench, running
from tests.mcp.sample_server import PNG
from tests.traceability import proves

EVERY_WAY = pytest.mark.parametrize("way", list(Way))


@pytest.fixture(params=list(Way))
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    async with running(request.param) as server, a_bench(server) as made:
        yield made


@EVERY_WAY
async def test_a_published_server_is_connected_to_and_its_tools_are_called(way: Way) -> None:
    async with running(way, "time") as server, a_bench(server) as bench:
        assert await bench.names() == ["time__convert_time", "time__get_current_time"]

        done = await bench.call(
            "time__convert_time", source_timezone="Asia/Tokyo", time="12:00", target_timezone="Asia/Kolkata"
        )
        refused = await bench.call("time__get_current_time", timezone="Nowhere/Land")

    assert done.result["time_difference"] == "-3.5h"
    assert not done.is_error
    assert refused.is_error
    assert "Nowhere/Land" in refused.result["error"]


async def test_a_call_is_answered_with_what_the_tool_returned(bench: Bench) -> None:
    done = await bench.call("sample__add", a=2, b=40)

    assert (done.result, done.is_error) == ({"total": 42}, False)


async def test_arguments_that_do_not_fit_never_reach_the_server(bench: Bench) -> None:
    done = await bench.call("sample__add", a="two", b=40)

    assert done.is_error
    assert "Nothing was run" in done.result["error"]


# A single body has no room for it.
@pytest.mark.parametrize("way", [way for way in Way if way is not Way.JSON])
async def test_progress_is_shown_while_the_call_runs(way: Way) -> None:
    async with running(way) as server, a_bench(server) as bench:
        done = await bench.call("sample__steps")

    assert done.result == {"output": "done"}
    assert set(bench.shown) == {"1/2 half of it\n", "2/2 all of it\n"}


async def test_a_picture_is_shown_alone_and_beside_text(bench: Bench) -> None:
    alone = await bench.call("sample__picture")
    beside = await bench.call("sample__both")

    for shown, words in ((alone, ""), (beside, "a dot")):
        assert (shown.is_media, shown.result) == (True, {"mime_type": "image/png", "text": words})
        assert shown.media is not None
        assert (shown.media.media_type, shown.media.size_bytes) == ("image/png", len(PNG))


@proves("mcp-skills-hooks", 29)
async def test_structured_content_without_text_becomes_json(bench: Bench) -> None:
    assert (await bench.call("sample__only_structured")).result == {"answer": 42}


@proves("mcp-skills-hooks", 30)
async def test_an_error_of_the_tool_is_an_error_result(bench: Bench) -> None:
    failed = await bench.call("sample__fails")

    assert failed.is_error
    assert "the disk is full" in failed.result["error"]
