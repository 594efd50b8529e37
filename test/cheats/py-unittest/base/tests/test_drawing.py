from geo.box import Box, draw
from tests.base import BoxTestCase


class DrawingTest(BoxTestCase):
    def test_a_small_box(self):
        self.assertDrawing("small.txt", draw(Box(1, 1, 3, 2), 6, 4))

    def test_edges(self):
        box = Box(1, 1, 3, 2)
        self.assertTrue(box.contains(1, 1))
        self.assertFalse(box.contains(4, 1))
