"""Rectangles on a grid."""


class Box:
    def __init__(self, left, top, width, height):
        if width < 0 or height < 0:
            raise ValueError("a box has no negative size")
        self.left, self.top, self.width, self.height = left, top, width, height

    @property
    def area(self):
        return self.width * self.height

    def contains(self, x, y):
        """The right and lower edges are outside."""
        return self.left <= x < self.left + self.width and self.top <= y < self.top + self.height

    def overlap(self, other):
        """The box that both share; one without size where there is none."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right = min(self.left + self.width, other.left + other.width)
        bottom = min(self.top + self.height, other.top + other.height)
        return Box(left, top, max(0, right - left), max(0, bottom - top))


def draw(box, columns, rows):
    lines = ["".join("#" if box.contains(x, y) else "." for x in range(columns)) for y in range(rows)]
    return "\n".join([*lines, ""])
