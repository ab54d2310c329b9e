import pytest

from chatd.kit.outbound.public_address import is_public


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "1.1.1.1",
        "172.32.0.1",
        "192.169.0.1",
        "100.128.0.1",
        "2606:4700::1111",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.0.9",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "168.63.129.16",
        "192.88.99.1",
        "100.64.0.1",
        "192.0.0.8",
        "192.0.2.1",
        "198.18.0.1",
        "0.0.0.0",  # noqa: S104 - nothing is bound
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "2001:db8::1",
        "fd00:ec2::254",
    ],
)
def test_an_address_of_this_machine_or_of_its_networks_is_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:168.63.129.16",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2002:7f00:1::1",
        "2002:a9fe:a9fe::",
        "2001:0:7f00:1::",
    ],
)
def test_a_private_address_inside_another_one_is_found(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "2130706433", "8.8.8.8.", "[::1]"])
def test_what_is_no_numeric_address_is_not_public(text: str) -> None:
    assert not is_public(text)
