"""What a call asks a person: some questions, or whether a plan is good (pure).

It is stored with the call. Rules for change: add fields with a default; never change what a field means.
"""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct


class QuestionOption(Struct, frozen=True, kw_only=True):
    label: str
    description: str


class AskedQuestion(Struct, frozen=True, kw_only=True):
    """One of the options answers it, and so do words of one's own."""

    header: Annotated[str, Meta(description="What it is about, in a word or two.")]
    question: str
    options: tuple[QuestionOption, ...]


class Questions(Struct, frozen=True, kw_only=True, tag="questions"):
    questions: tuple[AskedQuestion, ...]


class ProposedPlan(Struct, frozen=True, kw_only=True, tag="plan", omit_defaults=True):
    # Counted from 1, for each chat.
    version: int
    # Markdown.
    text: str
    # How it differs from the version before, as a unified diff; empty for the first one.
    diff: str = ""


Asked: TypeAlias = Questions | ProposedPlan
