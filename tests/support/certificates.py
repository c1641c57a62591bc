"""Certificates for TLS tests, made on the spot by an authority nobody else trusts."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

TODAY = datetime.now(UTC)  # OpenSSL judges certificates by the real time


class Authority:
    """A certificate authority; `ca_file` is what a client has to trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Test authority")
        usage = x509.BasicConstraints(ca=True, path_length=None)
        certificate = (
            _builder(self._name, self._name, self._key, days=(-400, 400))
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.ca_file = folder / "ca.pem"
        self.ca_file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def tls(self, *hosts: str, days: tuple[int, int] = (-1, 30)) -> ssl.SSLContext:
        """A server's context for these names and addresses, valid from day to day from today."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _builder(_name(hosts[0]), self._name, key, days=days)
            .add_extension(x509.SubjectAlternativeName(_names(hosts)), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        pem = self._folder / f"{len(list(self._folder.iterdir()))}.pem"
        pem.write_bytes(_private(key) + certificate.public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        return context

    def tls_expired(self, host: str) -> ssl.SSLContext:
        return self.tls(host, days=(-60, -30))

    def tls_wrong_host(self) -> ssl.SSLContext:
        return self.tls("another.example")


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    *,
    days: tuple[int, int],
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(TODAY + timedelta(days=days[0]))
        .not_valid_after(TODAY + timedelta(days=days[1]))
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _names(hosts: Sequence[str]) -> list[x509.GeneralName]:
    return [
        x509.IPAddress(ip_address(host)) if host[0].isdigit() else x509.DNSName(host)
        for host in hosts
    ]


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
