"""Connections that nobody can listen to, also with a certificate of one's own."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chatd.errors import ProviderError
from chatd.providers.events import TextDelta
from chatd.providers.transport.http import Pools, Way
from tests.providers.transport.plain import FINISHED, asking, everything, model_at, sse
from tests.providers.transport.server import Exchange, never, saying, serving


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """For this machine, signed by nobody else. The file has its key as well."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(signed.public_bytes(serialization.Encoding.PEM) + private)
    return file


def tls_with(certificate: Path) -> ssl.SSLContext:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    return tls


async def test_a_certificate_is_trusted_when_its_file_is_named(certificate: Path) -> None:
    way = Way(provider_id="p1", ca_file=str(certificate))
    script = saying(sse("Yes."), sse("[END]"))
    async with serving(script, tls=tls_with(certificate)) as server, Pools() as pools:
        model = model_at(server.address, pools.post_by(way))
        for _ in range(3):
            assert await everything(model) == [TextDelta("Yes."), FINISHED]

        assert server.opened == 1


async def test_an_unknown_certificate_is_not_trusted(certificate: Path) -> None:
    async with serving(saying(sse("[END]")), tls=tls_with(certificate)) as server, Pools() as pools:
        with pytest.raises(ProviderError) as failed:
            await everything(model_at(server.address, pools.post_by(Way(provider_id="p1"))))

        assert server.asked == []
        assert (failed.value.fault, failed.value.retryable) == ("untrusted", False)
        assert "ca_file" in (failed.value.detail or "")


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "unreadable"])
async def test_a_file_without_certificates_is_a_wrong_setting(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)

    async with Pools() as pools:
        post = pools.post_by(Way(provider_id="p1", ca_file=str(file)))
        with pytest.raises(ProviderError) as failed:
            await everything(model_at("https://127.0.0.1:1", post))

    assert (failed.value.kind, failed.value.retryable) == ("config", False)


async def test_a_name_that_no_file_can_have_is_a_wrong_setting() -> None:
    async with Pools() as pools:
        post = pools.post_by(Way(provider_id="p1", ca_file="ca\0.pem"))
        with pytest.raises(ProviderError, match="cannot be read"):
            await everything(model_at("https://127.0.0.1:1", post))


async def test_a_cancelled_stream_is_let_go_of_with_tls_too(certificate: Path) -> None:
    async def script(exchange: Exchange) -> None:
        exchange.begin()
        exchange.say(sse("Well"))
        await never()

    way = Way(provider_id="p1", ca_file=str(certificate))
    async with serving(script, tls=tls_with(certificate)) as server, Pools() as pools:
        tasks = len(asyncio.all_tasks())
        stream = model_at(server.address, pools.post_by(way)).stream(asking())
        assert await anext(stream) == [TextDelta("Well")]
        await stream.aclose()
        await server.until_no_client_is_connected()

        assert len(asyncio.all_tasks()) <= tasks + 1  # the server's own, which is being cancelled
