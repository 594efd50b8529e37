from geo.box import Box
from tests.base import BoxTestCase


class SizeTest(BoxTestCase):
    def test_the_area_is_width_times_height(self):
        self.assertEqual(Box(5, 5, 3, 4).area, 12)

    def test_a_negative_size_is_refused(self):
        with self.assertRaises(ValueError):
            Box(0, 0, -1, 1)


class OverlapTest(BoxTestCase):
    def test_boxes_that_overlap(self):
        self.assertBox(Box(0, 0, 4, 4).overlap(Box(2, 1, 5, 2)), 2, 1, 2, 2)

    def test_boxes_apart_share_nothing(self):
        self.assertEqual(Box(0, 0, 1, 1).overlap(Box(3, 3, 1, 1)).area, 0)
