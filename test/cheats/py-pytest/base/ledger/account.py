from ledger.money import parse, show


class Account:
    def __init__(self, limit=0):
        self.limit = limit
        self.bookings = []

    @property
    def balance(self):
        return sum(cents for _, cents in self.bookings)

    def book(self, text, cents):
        """Refuses what would take the balance below the limit."""
        if self.balance + cents < -self.limit:
            raise ValueError(f"not covered: {show(cents)}")
        self.bookings.append((text, cents))

    def statement(self):
        lines = [f"{text:<16}{show(cents):>10}" for text, cents in self.bookings]
        return "\n".join([*lines, f"{'balance':<16}{show(self.balance):>10}", ""])


def interest(cents, percent, years):
    """Compound interest, not rounded."""
    return cents * (1 + percent / 100) ** years - cents


def read_bookings(text, account):
    for line in text.splitlines():
        name, _, amount = line.rpartition(" ")
        account.book(name, parse(amount))
    return account
