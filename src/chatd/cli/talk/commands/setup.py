"""Commands about how the agent works: model, effort, plan, files that go along."""

import os

from chatd.cli.catalog.choices import choices
from chatd.cli.flags.options import EFFORTS
from chatd.cli.talk.commands.talked import Talked
from chatd.cli.talk.sending.attachment import read_attachment
from chatd.errors import Misconfigured, Unusable

FILES_MAX = 20
# Instead of a level.
LEFT_TO_MODEL = "default"


async def model(talk: Talked, name: str) -> None:
    models = await talk.client.models()
    if not name:
        used = talk.facts.model
        lines = [f"{'*' if each.name == used else ' '} {each.name}" for each in models if each.enabled]
        talk.note("\n".join([*lines, "Say which: /model NAME."]))
        return
    if not any(name in (each.name, each.model) for each in models):
        raise Unusable(f"There is no model {name!r}. {choices(models)}")
    talk.model = talk.facts.model = talk.facts.chosen = name
    talk.note(f"{name} is used from the next message on.")


async def effort(talk: Talked, level: str) -> None:
    if level == LEFT_TO_MODEL:
        talk.effort, talk.facts.effort = None, ""
        talk.note("From the next message on, how hard the model thinks is left to it.")
        return
    if level not in EFFORTS:
        raise Unusable(f"Write /effort with one of {', '.join((*EFFORTS, LEFT_TO_MODEL))}.")
    used = talk.facts.model
    # Said now: with an effort that has no effect, the server would refuse every message from here on.
    if any(
        used in (each.name, each.model) and not each.reasoning_efforts for each in await talk.client.models()
    ):
        raise Unusable(f"{used} cannot be told how hard to think. /model chooses another one.")
    talk.effort = talk.facts.effort = level
    talk.note(f"From the next message on the model thinks with effort {level}.")


async def attach(talk: Talked, file: str) -> None:
    if not file:
        raise Unusable("Say which: /attach FILE.")
    if len(talk.files) >= FILES_MAX:
        raise Unusable(f"{FILES_MAX} files go along with the next message already.")
    try:
        read = read_attachment(os.path.expanduser(file))  # noqa: ASYNC240, PTH111 - a person waits for it
    except Misconfigured as error:
        raise Unusable(str(error)) from error
    added = await talk.client.add_file(read.data, name=read.name, media_type=read.media_type)
    talk.files.append({"type": "file", "file_id": added.id, "name": added.name})
    talk.facts.files = len(talk.files)
    talk.note(f"{read.name} goes along with your next message.")


async def plan(talk: Talked, _: str) -> None:
    await talk.plan(is_on=True)


async def act(talk: Talked, _: str) -> None:
    await talk.plan(is_on=False)


async def thoughts(talk: Talked, _: str) -> None:
    talk.display.unfold()
