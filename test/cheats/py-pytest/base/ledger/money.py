"""Amounts are whole cents."""


def parse(text):
    """Reads `12.34`, with an optional sign, as cents."""
    text = text.strip()
    sign = -1 if text.startswith("-") else 1
    whole, _, part = text.lstrip("+-").partition(".")
    if not whole.isdigit() or (part and (len(part) != 2 or not part.isdigit())):
        raise ValueError(f"not an amount: {text!r}")
    return sign * (int(whole) * 100 + int(part or 0))


def show(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"
