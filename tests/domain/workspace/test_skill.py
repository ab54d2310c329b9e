import pytest

from chatd.domain.workspace.skill import BadSkill, SkillText, parse_skill, without_comments
from tests.traceability import proves

SKILL = "---\nname: review-code\ndescription: How we review.\n---\n\nLook twice.\n"


def test_a_skill_has_a_name_a_description_and_instructions() -> None:
    assert parse_skill(SKILL) == SkillText(
        name="review-code", description="How we review.", body="Look twice."
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Look twice.", "does not begin"),
        ("---\ndescription: d\n---\nb", "no `name`"),
        ("---\nname: a\n---\nb", "no `description`"),
        ("---\nname: a\ndescription: ''\n---\nb", "no `description`"),
        ("---\nname: Review Code\ndescription: d\n---\nb", "must be small letters"),
        ("---\nname: a--b\ndescription: d\n---\nb", "must be small letters"),
        ("---\nname: -a\ndescription: d\n---\nb", "must be small letters"),
        ("---\nname: ../a\ndescription: d\n---\nb", "must be small letters"),
        (f"---\nname: {'a' * 257}\ndescription: d\n---\nb", "at most 256"),
        (f"---\nname: a\ndescription: {'d' * 4097}\n---\nb", "more than 4096 bytes"),
        ("---\nname: a\ndescription: d\n---\n \n", "no text below"),
        ("---\nname: a\ndescription: d\n---\n<!-- only this -->", "no text below"),
        (SKILL + "x" * 65_536, "more than 64 KiB"),
    ],
)
def test_what_is_no_skill_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(BadSkill, match=reason):
        parse_skill(text)


def test_what_people_cannot_see_is_left_out() -> None:
    skill = parse_skill("---\r\nname: a\r\ndescription: x\u202ey\u200b\r\n---\r\nOne\u2066\r\ntwo")

    assert skill == SkillText(name="a", description="xy", body="One\ntwo")


def test_a_description_is_one_line() -> None:
    assert parse_skill("---\nname: a\ndescription: |\n  one\n  two\n---\nb").description == "one two"


@proves("mcp-skills-hooks", 52)
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a<!-- b -->c", "ac"),
        ("a<!-- b\nc -->d<!----> e", "ad e"),
        ("a<!-- never ends", "a"),
        ("a --> b", "a --> b"),
        ("a<!-- <!-- b -->c", "ac"),
        ("<!--" * 20_000, ""),
    ],
)
def test_html_comments_are_removed(text: str, kept: str) -> None:
    assert without_comments(text) == kept
