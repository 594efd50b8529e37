import unittest
from pathlib import Path


class BoxTestCase(unittest.TestCase):
    """Assertions on boxes."""

    def assertBox(self, box, left, top, width, height):
        self.assertEqual((box.left, box.top, box.width, box.height), (left, top, width, height))

    def assertDrawing(self, name, text):
        self.assertEqual(text, (Path(__file__).parent / "data" / name).read_text())
