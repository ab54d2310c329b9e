"""Why nobody was signed in. The page has a sentence for each; the log has the details."""

from enum import StrEnum


class Failure(StrEnum):
    # Unknown, used, older than ten minutes, or of another browser.
    STATE = "state"
    # The provider or the person there has refused.
    REFUSED = "refused"
    # It cannot be reached, or answers with something else.
    AWAY = "away"
    # What it has sent does not count: signature, audience, time and so on.
    TOKEN = "token"  # noqa: S105 - the name of a failure
    NOT_INVITED = "not_invited"
    # Not in the group that is needed, or in none that has a role.
    GROUP = "group"
    SUSPENDED = "suspended"
    # Joined to another user already.
    TAKEN = "taken"


class NotSignedIn(Exception):
    """`why` is for the log. No secret is in it, and nothing that the provider has written freely."""

    def __init__(self, failure: Failure, why: str) -> None:
        super().__init__(why)
        self.failure = failure
        self.why = why
