# SPDX-License-Identifier: Apache-2.0
"""Result files -> rows in the order of the file, grouped by workload; the standard library only."""
import json
import os

STEADY, SINGLE = "steady state, rotating buffers", "one call between two events, L2 flushed"
HOST_CALL, GRAPH_CALL = "host call to finished kernel", "graph replay to finished kernel"
CALL_AFTER_CALL = "call after call"  # of the CPU backend

NAMES = {"tenon": "Tenon", "torch_compile": "torch.compile", "triton": "Triton", "cub": "CUB", "thrust": "Thrust", "quack": "QuACK",
         "liger": "Liger", "matx": "MatX", "numpy": "NumPy", "torch_eager": "PyTorch eager", "bare_kernel": "bare kernel"}


def title(workload, shape, dtype):
    return f"{workload}  {'×'.join(map(str, shape))}  {dtype}"


class Result:
    def __init__(self, content):
        self.header, self.rows = content["header"], content["rows"]
        self.device = self.header.get("device", "").removeprefix("NVIDIA ")

    def _grouped(self, is_wanted):
        groups = {}
        for row in filter(is_wanted, self.rows):
            groups.setdefault((row["workload"], tuple(row["shape"]), row["dtype"]), {})[row["provider"]] = row
        return groups

    def groups(self, timing):
        """{(workload, shape, dtype): {provider: row}} of the rows that stand for themselves."""
        return self._grouped(lambda row: row["timing"] == timing and not row.get("is_curve") and row["provider"] in NAMES)

    def curve(self, workload):
        return self._grouped(lambda row: row.get("is_curve") and row["workload"] == workload and row["provider"] in NAMES)

    def floor_us(self, row):
        """The least that one call can take: an empty kernel, and the bytes at the rate of a copy."""
        ceilings = self.header["ceilings"]
        moved = row["gbs"] * row["us"] * 1e3
        return ceilings["empty_single_us"] + moved / ceilings["copy_gbs"] * 1e-3


def load(path):
    with open(path, encoding="utf-8") as source:
        return Result(json.load(source))


def load_sweep(path):
    """None where there is no such file; points as dictionaries."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as source:
        content = json.load(source)
    return {"header": content["header"], "points": [dict(zip(content["members"], values)) for values in content["points"]]}
