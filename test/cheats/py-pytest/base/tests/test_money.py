import pytest

from ledger.money import parse, show


@pytest.mark.parametrize("text, cents", [("12.34", 1234), ("7", 700), ("-0.05", -5), (" +1.00 ", 100)])
def test_amounts_are_read(text, cents):
    assert parse(text) == cents


@pytest.mark.parametrize("text", ["", "1.2", "1.234", "x"])
def test_what_is_not_an_amount_is_refused(text):
    with pytest.raises(ValueError):
        parse(text)


def test_amounts_are_shown_with_two_digits():
    assert show(1234) == "12.34"
    assert show(-5) == "-0.05"
