"""Which hosts the credentials of the machine are meant for."""

import pytest

from chatd.catalog.models.rows import ProviderSettings, ProviderType
from chatd.catalog.rules.addresses import base_url_of
from chatd.catalog.rules.cloud_hosts import is_own_host

BEDROCK, GOOGLE, AZURE = ProviderType.BEDROCK, ProviderType.GOOGLE, ProviderType.AZURE
AWS = "https://bedrock-runtime.us-east-1.amazonaws.com"


@pytest.mark.parametrize(
    ("type_", "url"),
    [
        (BEDROCK, AWS),
        (BEDROCK, f"{AWS}:443/model/a%3A0/converse-stream"),
        (BEDROCK, "https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com"),
        (BEDROCK, "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"),
        (BEDROCK, "https://vpce-0a1b-2c.bedrock-runtime.eu-central-1.vpce.amazonaws.com"),
        (GOOGLE, "https://generativelanguage.googleapis.com"),
        (GOOGLE, "https://aiplatform.googleapis.com/v1/projects/acme"),
        (GOOGLE, "https://europe-west4-aiplatform.googleapis.com"),
        (GOOGLE, "https://aiplatform.eu.rep.googleapis.com"),
        (AZURE, "https://acme.openai.azure.com/openai/v1"),
        (AZURE, "https://acme.openai.azure.us/openai/deployments/large"),
    ],
)
def test_a_host_of_the_cloud_itself_is_known(type_: ProviderType, url: str) -> None:
    assert is_own_host(type_, url)


@pytest.mark.parametrize(
    ("type_", "url"),
    [
        (BEDROCK, "https://evil.example"),
        (BEDROCK, "http://127.0.0.1:8080"),
        (BEDROCK, AWS.replace("https", "http")),
        # Another cloud's, however honest.
        (BEDROCK, "https://aiplatform.googleapis.com"),
        (ProviderType.OPENAI, AWS),
        # Names that end, begin or contain what they should be.
        (BEDROCK, f"{AWS}.evil.example"),
        (BEDROCK, f"{AWS}."),
        (BEDROCK, "https://evil-bedrock-runtime.us-east-1.amazonaws.com"),
        (BEDROCK, f"https://evil.example/{AWS}"),
        (BEDROCK, f"https://evil.example#{AWS}"),
        (BEDROCK, f"{AWS}@evil.example"),
        (BEDROCK, "https://me@bedrock-runtime.us-east-1.amazonaws.com"),
        (BEDROCK, "https://evil.example\\@bedrock-runtime.us-east-1.amazonaws.com"),
        (BEDROCK, f"{AWS}\\.evil.example"),
        (BEDROCK, f"{AWS}\n.evil.example"),
        (BEDROCK, "https://bedrock-runtime.us-east-1.am\N{LATIN SMALL LETTER DOTLESS I}zonaws.com"),
        # Names that customers of the cloud choose: a bucket, a machine, a load balancer, a service.
        (BEDROCK, "https://bedrock-runtime.s3.amazonaws.com"),
        (BEDROCK, "https://bedrock-runtime.s3-us-west-2.amazonaws.com"),
        (BEDROCK, "https://bedrock-runtime.us-east-1.elb.amazonaws.com"),
        (BEDROCK, "https://ec2-192-0-2-1.compute-1.amazonaws.com"),
        (BEDROCK, "https://a1b2.execute-api.us-east-1.amazonaws.com"),
        (BEDROCK, "https://vpce-0a1b.vpce-svc-0c.us-east-1.vpce.amazonaws.com"),
        (GOOGLE, "https://evil-aiplatform.storage.googleapis.com"),
        (GOOGLE, "https://aiplatform.evil.googleapis.com"),
        (AZURE, "https://evil.azurewebsites.net"),
        (AZURE, "https://evil.azure-api.net"),
        (AZURE, "https://a.b.openai.azure.com"),
        (BEDROCK, "https://[broken"),
        (BEDROCK, "https://bedrock-runtime.us-east-1.amazonaws.com:port"),
    ],
)
def test_any_other_host_is_not(type_: ProviderType, url: str) -> None:
    assert not is_own_host(type_, url)


def test_a_region_that_is_the_name_of_a_service_leads_to_no_host_of_bedrock() -> None:
    url = base_url_of(BEDROCK, None, ProviderSettings(region="s3"))

    assert not is_own_host(BEDROCK, url)
