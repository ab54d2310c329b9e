from msgspec.structs import replace

from chatd.domain.workspace.context import ResourceStatus
from chatd.domain.workspace.skill_list import (
    ListedSkill,
    PersonalSkill,
    SkillOrigin,
    list_skills,
    skills_called,
)
from tests.traceability import proves
from tests.words import a_skill, told

MINE = PersonalSkill(name="deploy", description="My way.")


def test_skills_of_the_workspace_come_before_personal_ones() -> None:
    found = list_skills([*told().resources, a_skill("z"), a_skill("a")], [MINE])

    assert [each.alias for each in found] == ["z", "a", "deploy"]
    assert found[0] == ListedSkill(
        name="z",
        description="About z.",
        origin=SkillOrigin.WORKSPACE,
        alias="z",
        source="skills/z/SKILL.md",
    )


def test_one_that_is_not_ok_is_not_listed() -> None:
    assert list_skills([replace(a_skill("a"), status=ResourceStatus.INVALID)], []) == ()


@proves("mcp-skills-hooks", 51)
def test_one_name_of_both_origins_is_qualified_and_ambiguous_alone() -> None:
    found = list_skills([a_skill("deploy"), a_skill("other")], [MINE])

    assert [each.alias for each in found] == ["workspace/deploy", "other", "personal/deploy"]
    assert [each.alias for each in skills_called(found, "deploy")] == ["workspace/deploy", "personal/deploy"]
    assert [each.description for each in skills_called(found, "personal/deploy")] == ["My way."]


def test_a_qualified_name_can_always_be_used() -> None:
    found = list_skills([a_skill("deploy")], [])

    assert skills_called(found, "workspace/deploy") == skills_called(found, "deploy") == list(found)
    assert skills_called(found, "personal/deploy") == []
