import pytest

from ledger.account import interest
from tests.checks import assert_close


def test_the_balance_is_the_sum_of_all_bookings(account):
    assert account.balance == 149951


def test_a_booking_below_the_limit_is_refused(account):
    with pytest.raises(ValueError):
        account.book("car", -200000)
    assert account.balance == 149951


def test_a_booking_down_to_the_limit_is_accepted(account):
    account.book("last", -154951)
    assert account.balance == -5000


def test_interest_compounds():
    assert_close(interest(10000, 5, 2), 1025)


def test_a_statement_lists_bookings_and_balance(account, snapshot):
    snapshot("statement.txt", account.statement())
