"""Tools for the internet."""

from collections.abc import Collection

from chatd.kit.clock import Clock
from chatd.kit.outbound.lookups import Lookups
from chatd.kit.outbound.reach import Reach
from chatd.tools.tool import AnyTool
from chatd.tools.web.address import Policy
from chatd.tools.web.fetch import Fetcher
from chatd.tools.web.fetch_url import fetch_url


def web_tools(clock: Clock, private_sites: Collection[str] = ()) -> tuple[AnyTool, ...]:
    """`private_sites` are hosts of private networks that may be asked all the same."""
    policy = Policy(private_sites=frozenset(private_sites))
    fetcher = Fetcher(reach=Reach(private_hosts=False, resolve=Lookups()), policy=policy)
    return (fetch_url(fetcher, policy, clock),)
