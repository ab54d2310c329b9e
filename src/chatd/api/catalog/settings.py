"""What counts for all chats of the server, by its administrators, and for all chats of a user, by them."""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from chatd.agent.prompts.base import BASE
from chatd.api.bodies import Nothing
from chatd.api.catalog import subagents
from chatd.api.catalog.bodies import PatchSettings, PatchUserSettings, SettingsView, UserSettingsView
from chatd.api.checks import something_to_change
from chatd.api.failures import Forbidden
from chatd.api.router import Asked, B, Q
from chatd.catalog.documents import (
    BASE_PROMPT,
    COMPACTION,
    DEBUG_RECORDS,
    PLAN_PROMPT,
    PROMPT,
    SUBAGENTS,
    TEXTS,
    BasePrompt,
    Compaction,
    DebugRecords,
    PromptDocument,
    Texts,
)
from chatd.catalog.rules.prompts import cleaned
from chatd.domain.people.deeds import Deed
from chatd.errors import NotAllowed, NotFound


async def show(asked: Asked[Nothing, Nothing]) -> SettingsView:
    """404 for users who are not administrators: the settings may hold what users should not read."""
    if not asked.may(Deed.POLICY_CHANGE):
        raise NotFound("settings_not_found", "There is nothing here for you.")
    documents = asked.server.catalog_store.documents
    prompt = await documents.read(PROMPT, PromptDocument)
    base = await documents.read(BASE_PROMPT, BasePrompt)
    plan = await documents.read(PLAN_PROMPT, PromptDocument)
    compaction = await documents.read(COMPACTION, Compaction)
    debug_records = await documents.read(DEBUG_RECORDS, DebugRecords)
    texts = await documents.read(TEXTS, Texts)
    return SettingsView(
        system_prompt=prompt.text,
        base_prompt=base.text,
        default_base_prompt=BASE,
        plan_prompt=plan.text,
        compaction_model=compaction.model,
        texts_model=texts.model,
        titles=texts.titles,
        turn_labels=texts.turn_labels,
        chat_summaries=texts.summaries,
        debug_records_allowed=debug_records.allowed,
        debug_records_forced=asked.server.debug_forced,
        subagents=await subagents.for_all(asked),
    )


async def patch(asked: Asked[Nothing, PatchSettings]) -> SettingsView:
    """All of it or nothing: what may be refused comes before anything is saved."""
    body, catalog_store = asked.body, asked.server.catalog_store
    something_to_change(body)
    documents: dict[str, Struct] = {}
    if (wanted := body.compaction_model) is not UNSET:
        model = await catalog_store.admit(wanted, asked.user.id, field="compaction_model") if wanted else None
        documents[COMPACTION] = Compaction(model=model)
    if (texts := await _texts(asked)) is not None:
        documents[TEXTS] = texts
    if body.system_prompt is not UNSET:
        documents[PROMPT] = PromptDocument(text=cleaned(body.system_prompt, field="system_prompt"))
    if body.plan_prompt is not UNSET:
        documents[PLAN_PROMPT] = PromptDocument(text=cleaned(body.plan_prompt, field="plan_prompt"))
    if (base := body.base_prompt) is not UNSET:
        text = cleaned(base, field="base_prompt") if base is not None else None
        documents[BASE_PROMPT] = BasePrompt(text=text)
    if body.debug_records_allowed is not UNSET:
        documents[DEBUG_RECORDS] = DebugRecords(allowed=body.debug_records_allowed)
    if body.subagents is not UNSET:
        documents[SUBAGENTS] = await subagents.changed(asked, body.subagents)
    await catalog_store.documents.save_all(documents, by=asked.by)
    return await show(asked)  # type: ignore[arg-type]  # it has no use for the body


async def _texts(asked: Asked[Nothing, PatchSettings]) -> Texts | None:
    """What is to be written about chats from now on; None: as before."""
    body, catalog_store = asked.body, asked.server.catalog_store
    named = {"titles": body.titles, "turn_labels": body.turn_labels, "summaries": body.chat_summaries}
    changes: dict[str, Any] = {name: value for name, value in named.items() if value is not UNSET}
    if (wanted := body.texts_model) is not UNSET:
        changes["model"] = (
            await catalog_store.admit(wanted, asked.user.id, field="texts_model") if wanted else None
        )
    return replace(await catalog_store.documents.read(TEXTS, Texts), **changes) if changes else None


async def show_own(asked: Asked[Nothing, Nothing]) -> UserSettingsView:
    documents, forced = asked.server.catalog_store.documents, asked.server.debug_forced
    allowed = await _may_choose_debug_records(asked)
    return UserSettingsView(
        prompt=await documents.prompt_of(asked.user.id),
        model=await documents.model_of(asked.user.id),
        compaction_thresholds=(await documents.compaction_of(asked.user.id)).thresholds,
        # What counts, and not what was chosen once.
        debug_records=forced or (allowed and await documents.debug_records_of(asked.user.id)),
        debug_records_allowed=allowed,
        debug_records_forced=forced,
        subagents=await subagents.own(asked),
        subagents_allowed=(await subagents.for_all(asked)).own_allowed,
    )


async def patch_own(asked: Asked[Nothing, PatchUserSettings]) -> UserSettingsView:
    something_to_change(asked.body)
    documents, chosen = asked.server.catalog_store.documents, asked.body.debug_records
    if chosen is not UNSET:
        # First, since it may be refused.
        await _check_debug_records(asked)
    model = asked.body.model
    if isinstance(model, str):
        model = await asked.server.catalog_store.admit(model, asked.user.id)
    thresholds = None
    if asked.body.compaction_thresholds is not UNSET:
        thresholds = await _named(asked, asked.body.compaction_thresholds)
    if (wanted := asked.body.subagents) is not UNSET:
        await documents.save_subagents_of(asked.user.id, await subagents.own_changed(asked, wanted))
    if thresholds is not None:
        await documents.change_thresholds_of(asked.user.id, thresholds)
    if model is not UNSET:
        await documents.save_model_of(asked.user.id, model)
    if asked.body.prompt is not UNSET:
        await documents.save_prompt_of(asked.user.id, asked.body.prompt)
    if chosen is not UNSET:
        await documents.save_debug_records_of(asked.user.id, chosen=chosen)
    return await show_own(asked)  # type: ignore[arg-type]  # as above


async def _named(asked: Asked[Q, B], wanted: Mapping[str, int | None]) -> dict[str, int | None]:
    """By the full names of models that this user can use. One may be taken back when its model is gone."""
    catalog_store, named = asked.server.catalog_store, dict[str, int | None]()
    for name, percent in wanted.items():
        if percent is None:
            named[name] = None
            continue
        full = await catalog_store.admit(name, asked.user.id, field="compaction_thresholds")
        assert full is not None, "a name was given"
        named[full] = percent
    return named


async def _check_debug_records(asked: Asked[Q, B]) -> None:
    if asked.server.debug_forced:
        raise NotAllowed("debug_records_forced", "This deployment records all chats.", field="debug_records")
    if not await _may_choose_debug_records(asked):
        raise Forbidden(
            "debug_records_not_allowed",
            "Chats are not recorded on this server.",
            field="debug_records",
            hint="An administrator can allow it, with debug_records_allowed in the settings.",
        )


async def _may_choose_debug_records(asked: Asked[Q, B]) -> bool:
    return (await asked.server.catalog_store.documents.read(DEBUG_RECORDS, DebugRecords)).allowed
