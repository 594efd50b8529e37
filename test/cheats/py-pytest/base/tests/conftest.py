from pathlib import Path

import pytest

from ledger.account import Account, read_bookings

here = Path(__file__).parent


@pytest.fixture
def account():
    return read_bookings((here / "data" / "bookings.txt").read_text(), Account(limit=5000))


@pytest.fixture
def snapshot():
    def matches(name, text):
        assert text == (here / "snapshots" / name).read_text()

    return matches
