def assert_close(actual, expected, tolerance=1e-6):
    assert abs(actual - expected) <= tolerance, f"{actual} is not close to {expected}"
