import pytest

from chatd.kit.process.kubernetes import is_service_variable

# As `kubectl exec POD -- env` shows them for a Service `chatd` with a port called `http`.
SERVICE = {
    "CHATD_SERVICE_HOST": "10.0.0.11",
    "CHATD_SERVICE_PORT": "8787",
    "CHATD_SERVICE_PORT_HTTP": "8787",
    "CHATD_PORT": "tcp://10.0.0.11:8787",
    "CHATD_PORT_8787_TCP": "tcp://10.0.0.11:8787",
    "CHATD_PORT_8787_TCP_PROTO": "tcp",
    "CHATD_PORT_8787_TCP_PORT": "8787",
    "CHATD_PORT_8787_TCP_ADDR": "10.0.0.11",
}
OTHERS = {
    "CHATD_DATABASE_SERVICE_HOST": "fd00::1",
    "CHATD_DATABASE_PORT": "tcp://[fd00::1]:5432",
    "CHATD_PORT_53_UDP_PROTO": "udp",
}


@pytest.mark.parametrize(("name", "value"), list((SERVICE | OTHERS).items()))
def test_what_kubernetes_sets_for_a_service_is_recognised(name: str, value: str) -> None:
    assert is_service_variable(name, value, prefix="CHATD_")
    assert not is_service_variable(name, value, prefix="OTHER_")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CHATD_PORT", "8787"),
        ("CHATD_PORT", "tcp://somewhere:8787"),
        ("CHATD_PROT", "tcp://10.0.0.11:8787"),
        ("CHATD_HOST", "10.0.0.11"),
        ("CHATD_SERVICE_HOST", "example.org"),
        ("CHATD_SERVICE", "10.0.0.11"),
        ("CHATD_DATABASE_URL", "tcp://10.0.0.11:8787"),
        ("CHATD_PORT_8787_TCP_PROTO", "http"),
        ("CHATD_PORT_TCP", "tcp://10.0.0.11:8787"),
    ],
)
def test_what_only_looks_like_it_is_not(name: str, value: str) -> None:
    assert not is_service_variable(name, value, prefix="CHATD_")
