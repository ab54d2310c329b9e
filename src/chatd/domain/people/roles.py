"""Kinds of users, and what each user is to the deployment."""

from enum import StrEnum


class UserKind(StrEnum):
    # One who signs in.
    PERSON = "person"
    # A program with tokens.
    SERVICE = "service"
    # One for whom a service speaks.
    END_USER = "end_user"


class UserRole(StrEnum):
    # Runs the deployment.
    ADMIN = "admin"
    # A member who also reads what is written down of people.
    AUDITOR = "auditor"
    # Starts chats.
    MEMBER = "member"
    # Reads what was shared, and costs nothing.
    VIEWER = "viewer"
