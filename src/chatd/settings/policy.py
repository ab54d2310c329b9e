"""Settings of what people may do with chats of one another."""

from typing import Annotated

from msgspec import Meta

from chatd.domain.people.permit import AdminsRead, Policy, Sharing
from chatd.settings.limits import LimitSettings


class PolicySettings(LimitSettings, frozen=True, kw_only=True):
    """With the limits: a struct has one base."""

    sharing: Annotated[
        Sharing,
        Meta(
            description="With whom chats may be shared: with nobody, with users and groups by name, or also "
            "with everyone who is signed in. What was shared beyond that is kept, and does not count.",
            extra={"expected": "`off`, `people` or `everyone`"},
        ),
    ] = Sharing.PEOPLE
    public_links: Annotated[
        bool,
        Meta(
            description="Whether owners of chats may make links with which anybody reads a chat without "
            "signing in, for up to 90 days. While it is off, links that were made count for nobody.",
            extra={"expected": "true or false"},
        ),
    ] = False
    admins_read_chats: Annotated[
        AdminsRead,
        Meta(
            description="Whether administrators read chats of others. Stopping, archiving and deleting them "
            "is possible in any case.",
            extra={"expected": "`audited` or `never`"},
        ),
    ] = AdminsRead.AUDITED

    @property
    def policy(self) -> Policy:
        return Policy(self.admins_read_chats, self.sharing, self.public_links)
