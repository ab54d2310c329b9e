"""Recorded events are what the server sends, and lead to the picture that they end with."""

import json

import pytest

from tests.live.listening import Picture
from tests.live.recordings import FOLDER, STORIES, recording, shown


@pytest.mark.parametrize("name", STORIES)
def test_a_recording_is_what_a_viewer_is_told_today(name: str) -> None:
    held = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")

    assert held == recording(STORIES[name]), "Run `python -m tests.live.recordings`."


@pytest.mark.parametrize("name", STORIES)
def test_a_recording_leads_to_its_picture(name: str) -> None:
    *events, last = map(json.loads, (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    picture = Picture()

    picture.apply(events)

    assert shown(picture) == last["picture"]


def test_there_is_a_recording_for_each_story_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == set(STORIES)
