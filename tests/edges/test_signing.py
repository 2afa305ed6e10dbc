"""A data folder signs with a key of its own, which anybody can verify by its public half."""

import os
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from callsheet.edges import signing
from callsheet.edges.signing import FILE, SigningKey, verified
from callsheet.errors import StoreError, UsageError


def test_what_is_signed_verifies_by_the_public_key_alone_and_nothing_else_does(tmp_path: Path) -> None:
    key = SigningKey(tmp_path)
    public, signature = key.public_key(), key.sign(b"what was said")
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), b"what was said")
    assert verified(b"what was said", signature, public)
    assert not verified(b"what was sald", signature, public)
    assert not verified(b"what was said", signature, SigningKey(tmp_path / "other").public_key())
    assert not verified(b"what was said", "00" * 64, public) and not verified(b"what was said", "zz", "zz")


def test_a_key_is_made_once_and_is_private(tmp_path: Path) -> None:
    assert not SigningKey(tmp_path).known()
    assert SigningKey(tmp_path).public_key() == SigningKey(tmp_path).public_key()
    assert SigningKey(tmp_path).known() and os.listdir(tmp_path) == [FILE]
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_a_damaged_key_is_an_error_that_names_the_file_and_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"half")
    with pytest.raises(StoreError, match=r"certificates\.key is no key of 32 bytes; restore it"):
        SigningKey(tmp_path).sign(b"x")
    assert (tmp_path / FILE).read_bytes() == b"half"


def test_without_the_package_signing_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "available", lambda: False)
    for attempt in (lambda: SigningKey(tmp_path).public_key(), lambda: verified(b"", "00", "00")):
        with pytest.raises(UsageError, match=r"pip install 'callsheet\[certify\]'"):
            attempt()
