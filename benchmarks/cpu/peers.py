# SPDX-License-Identifier: Apache-2.0
"""What the peers of seed_expressions.cpp share: how a call is timed, and the row it gives."""
import json
import sys
import time

import numpy as np

REPETITIONS = 11


def shape():
    """-> (rows, columns) of the command line."""
    return tuple(int(argument) for argument in (sys.argv[1:3] or ("8192", "4096")))


def normal_arrays(rows, columns):
    """-> x, y of [rows, columns] and w, b of [columns], normally distributed floats."""
    random = np.random.default_rng(1)
    x, y = (random.standard_normal((rows, columns), dtype=np.float32) for _ in range(2))
    return x, y, x[0].copy(), y[0].copy()


def report_version(package, version):
    print(json.dumps({"header": {package: str(version)}}), flush=True)


def report(workload, provider, x, arrays_moved, work):
    """Times calls of work() and prints a row; `arrays_moved` arrays of the size of x must be read or written."""
    us = []
    for repetition in range(-2, REPETITIONS):
        begin = time.perf_counter()
        work()
        if repetition >= 0:
            us.append((time.perf_counter() - begin) * 1e6)
    median, p10, p90 = np.percentile(us, [50, 10, 90], method="nearest")
    print(json.dumps({
        "workload": workload, "shape": list(x.shape), "dtype": "f32", "provider": provider,
        "us": round(median, 1), "us_p10": round(p10, 1), "us_p90": round(p90, 1),
        "gbs": round(x.nbytes * arrays_moved / median * 1e-3, 3), "timing": "call after call"}), flush=True)
