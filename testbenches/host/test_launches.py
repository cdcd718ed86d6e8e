"""Checks launches.py against the test vectors and rules of docs/launches.md.

Run: build/venv/bin/python -m unittest discover -s testbenches/host
"""

import hashlib
import pathlib
import re
import unittest

import numpy as np

import launches

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "launches.md"
ELEMENTS = re.compile(r"^\| `([^`]+\[4\][^`]*)` \| ([^|]+) \| ([0-9a-f]{64}) \|$", re.M)
OUTPUTS = re.compile(r"^\| (\d+) \|((?: 0x[0-9A-F]{16} \|){4})$", re.M)


class Vectors(unittest.TestCase):
    def test_generator(self):
        rows = OUTPUTS.findall(DOCS.read_text())
        self.assertEqual(len(rows), 3)
        for seed, cells in rows:
            wanted = [int(c, 16) for c in re.findall(r"0x[0-9A-F]+", cells)]
            self.assertEqual(launches.splitmix64(int(seed), 4).tolist(), wanted)

    def test_elements(self):
        rows = ELEMENTS.findall(DOCS.read_text())
        self.assertGreater(len(rows), 15)
        for text, cells, digest in rows:
            array = launches.parse(text)
            bits = array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "f" else array
            self.assertEqual(bits.tolist(), [int(c, 0) for c in cells.split(", ")], text)
            long = launches.parse(text.replace("[4]", "[1000]"))
            self.assertEqual(hashlib.sha256(long.tobytes()).hexdigest(), digest, text)


class Numbers(unittest.TestCase):
    def test_rounded_once(self):
        self.assertEqual(launches.number("1.00000005960464477540", np.float32).view(np.uint32), 0x3F800001)
        self.assertEqual(launches.number("1.000000059604644775390625", np.float32).view(np.uint32), 0x3F800000)
        self.assertEqual(launches.number("16777217", np.float32), 16777216)

    def test_range(self):
        self.assertEqual(launches.number("-1", np.uint8), 255)
        self.assertEqual(launches.number("0xff", np.int8), -1)
        for text in ("256", "-129", "1.5", "x"):
            with self.assertRaises(launches.LaunchError):
                launches.number(text, np.uint8)

    def test_malformed(self):
        for text in ("rand:f32[4]", "zeros:f33[4]", "zeros:f32[4]:1", "data:i32[2]:1,2,3", "rand:i32[4]:1:5..5", "what:ever"):
            with self.assertRaises(launches.LaunchError, msg=text):
                launches.parse(text)

    def test_nan_is_nan(self):
        a = np.array([np.nan, 1.0, 0.0], np.float32)
        b = a.view(np.uint32).copy()
        b[0] ^= 1
        self.assertTrue(launches.same(a, b.view(np.float32)))
        self.assertFalse(launches.same(a, np.array([np.nan, 1.0, -0.0], np.float32)))


if __name__ == "__main__":
    unittest.main()
