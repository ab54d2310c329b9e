"""The hosts that the credentials of this machine may be sent to: those of the cloud that issued them (pure).

An administrator who adds providers by API need not be the operator of the machine. Hosts are matched whole,
and not by their domain: customers of a cloud have names in its domains as well, such as the buckets of S3
under `amazonaws.com`.
"""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from chatd.catalog.models.rows import ProviderType

# `us-east-1`, `us-gov-west-1`. Services have digits at the beginning (`s3`), or none at the end.
_AWS_REGION = r"[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}"

HOSTS: Mapping[ProviderType, re.Pattern[str]] = {
    ProviderType.BEDROCK: re.compile(
        rf"bedrock-runtime(?:-fips)?\.{_AWS_REGION}\.(?:amazonaws\.(?:com|com\.cn|eu)|api\.aws)"
        rf"|vpce-[a-z0-9-]{{1,63}}\.bedrock-runtime(?:-fips)?\.{_AWS_REGION}\.vpce\.amazonaws\.com"
    ),
    ProviderType.GOOGLE: re.compile(
        r"generativelanguage\.googleapis\.com"
        r"|(?:[a-z0-9-]{1,63}-)?aiplatform\.googleapis\.com"
        r"|aiplatform\.(?:us|eu)\.rep\.googleapis\.com"
    ),
    ProviderType.AZURE: re.compile(
        r"[a-z0-9][a-z0-9-]{0,63}\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)"
    ),
}


def is_own_host(type_: ProviderType, url: str) -> bool:
    """Whether this address is the cloud itself, over TLS. False for what is no cloud, or no address."""
    pattern = HOSTS.get(type_)
    try:
        address = urlsplit(url)
        host, port = address.hostname or "", address.port
    except ValueError:
        return False
    # Written exactly like this: a name, a password or a backslash is read differently by different parsers.
    is_plain = address.netloc in (host, f"{host}:{port}")
    return (
        pattern is not None and address.scheme == "https" and is_plain and pattern.fullmatch(host) is not None
    )


def host_of(url: str) -> str:
    """To name it in a refusal."""
    try:
        return urlsplit(url).hostname or "an unknown host"
    except ValueError:
        return "an unknown host"
