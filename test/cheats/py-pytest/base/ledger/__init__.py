"""Bookings, balances and statements."""
