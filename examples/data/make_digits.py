#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes digits.npy (1797 x 64, uint8) and digits_labels.npy (1797, uint8) from scikit-learn's digits.csv.gz.

Usage: make_digits.py <folder or wheel that holds sklearn/datasets/data/digits.csv.gz>
    pip download --no-deps scikit-learn && python3 make_digits.py scikit_learn-*.whl
"""
import gzip
import os
import sys
import zipfile

MEMBER = "sklearn/datasets/data/digits.csv.gz"


def read_csv(source):
    if os.path.isdir(source):
        with open(os.path.join(source, MEMBER), "rb") as file:
            packed = file.read()
    else:
        packed = zipfile.ZipFile(source).read(MEMBER)
    lines = gzip.decompress(packed).decode().split()
    return [[int(float(number)) for number in line.split(",")] for line in lines]


def write_npy(path, shape, values):
    """Format version 1; the elements begin at a multiple of 64 bytes."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * ((63 - (10 + len(header)) % 64) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(values))


def main():
    rows = read_csv(sys.argv[1])
    assert len(rows) == 1797 and all(len(row) == 65 for row in rows)
    assert all(0 <= pixel <= 16 for row in rows for pixel in row[:64])
    here = os.path.dirname(os.path.abspath(__file__))
    write_npy(os.path.join(here, "digits.npy"), (len(rows), 64), [pixel for row in rows for pixel in row[:64]])
    write_npy(os.path.join(here, "digits_labels.npy"), (len(rows),), [row[64] for row in rows])


if __name__ == "__main__":
    main()
