"""What every chat begins with: said by the administrators for all of them, and by users for their own."""

from msgspec import UNSET

from chatd.api.bodies import Nothing
from chatd.api.catalog_bodies import PatchSettings, PatchUserSettings, SettingsView, UserSettingsView
from chatd.api.checks import something_to_change
from chatd.api.router import Asked
from chatd.catalog.documents import PROMPT, Prompt
from chatd.errors import NotFound


async def show(asked: Asked[Nothing, Nothing]) -> SettingsView:
    """For everybody else they do not exist: they may say what users should not read."""
    if not asked.user.is_admin:
        raise NotFound("settings_not_found", "There is nothing here for you.")
    prompt = await asked.server.shelf.documents.read(PROMPT, Prompt)
    return SettingsView(system_prompt=prompt.text)


async def patch(asked: Asked[Nothing, PatchSettings]) -> SettingsView:
    something_to_change(asked.body)
    if asked.body.system_prompt is not UNSET:
        await asked.server.shelf.documents.save_deployment_prompt(asked.body.system_prompt)
    return await show(asked)  # type: ignore[arg-type]  # it has no use for the body


async def show_own(asked: Asked[Nothing, Nothing]) -> UserSettingsView:
    return UserSettingsView(prompt=await asked.server.shelf.documents.prompt_of(asked.user.id))


async def patch_own(asked: Asked[Nothing, PatchUserSettings]) -> UserSettingsView:
    something_to_change(asked.body)
    if asked.body.prompt is not UNSET:
        await asked.server.shelf.documents.save_prompt_of(asked.user.id, asked.body.prompt)
    return await show_own(asked)  # type: ignore[arg-type]  # as above
