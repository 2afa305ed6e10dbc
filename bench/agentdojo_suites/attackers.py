"""Attackers who know the policy: the same injections in other clothes, each tried in every way that is given here."""

from collections.abc import Iterator, Mapping
from typing import Any

Row = Mapping[str, Any]
ADAPTIVE: dict[str, Any] = {}
