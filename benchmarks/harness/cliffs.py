# SPDX-License-Identifier: Apache-2.0
"""Points of a sweep -> what is not as it should be: wrong values, changing bits, cliffs beside good neighbours."""
import math

ELEMENT_BYTES = {"f32": 4, "bf16": 2}
TOLERANCE = {"f32": 1e-4, "bf16": 6e-3}
CLIFF = 0.6                # of what the best neighbour promises
CLEAR_OF_LAUNCH_US = 10.0  # shorter calls are compared by time, not by rate
MOST_LISTED = 12


def bytes_moved(operation, rows, length, dtype):
    outputs = {"sum_axis1": rows, "sum_axis0": length}.get(operation, rows * length)
    return (rows * length + outputs) * ELEMENT_BYTES[dtype]


def tolerance(point):
    """Sums: twice the depth of a tree of additions, and the rounding of the result."""
    if not point["operation"].startswith("sum"):
        return TOLERANCE[point["dtype"]]
    count = point["length"] if point["operation"] == "sum_axis1" else point["rows"]
    return (2 * math.ceil(math.log2(count)) + 1) * 2.0 ** -24 + (2.0 ** -8 if point["dtype"] == "bf16" else 0.0)


def neighbours(point, by_place, places):
    """The points one step away in the number of rows or in the length."""
    rows, lengths = places
    r, n = rows.index(point["rows"]), lengths.index(point["length"])
    for i, j in ((r - 1, n), (r + 1, n), (r, n - 1), (r, n + 1)):
        if 0 <= i < len(rows) and 0 <= j < len(lengths):
            found = by_place.get((rows[i], lengths[j]))
            if found:
                yield found


def promised_us(point, neighbour):
    """What a neighbour promises: its rate, and never less time than its own where both are bound by the launch."""
    bytes_of = [bytes_moved(p["operation"], p["rows"], p["length"], p["dtype"]) for p in (point, neighbour)]
    by_rate = neighbour["us"] * bytes_of[0] / bytes_of[1]
    if min(point["us"], neighbour["us"]) >= CLEAR_OF_LAUNCH_US:
        return by_rate
    return max(by_rate, neighbour["us"])


def cliffs(points):
    """-> points under CLIFF of what their best neighbour promises, the worst first."""
    planes = {}
    for point in points:
        if "us" in point:
            planes.setdefault((point["operation"], point["dtype"], point["offset"]), []).append(point)
    found = []
    for plane in planes.values():
        by_place = {(p["rows"], p["length"]): p for p in plane}
        places = sorted({p["rows"] for p in plane}), sorted({p["length"] for p in plane})
        for point in plane:
            best = min((promised_us(point, q) for q in neighbours(point, by_place, places)), default=point["us"])
            if best < CLIFF * point["us"]:
                found.append(point | {"of_best_neighbour": round(best / point["us"], 3)})
    return sorted(found, key=lambda p: p["of_best_neighbour"])


def title(point):
    place = "offset by one" if point["offset"] else "aligned"
    return f"{point['operation']} {point['rows']}x{point['length']} {point['dtype']} {place}"


def summary(points):
    """Lines about what is not as it should be."""
    faults = [p for p in points if "fault" in p]
    wrong = [p for p in points if "us" in p and not (p["max_rel_err"] is not None and p["max_rel_err"] <= tolerance(p))]
    unrepeatable = [p for p in points if not p.get("is_repeatable", True)]
    unstable = [p for p in points if not p.get("is_row_stable", True)]
    slower = [p for p in points if p.get("torch_compile_us", 1e30) < p.get("us", 0)]
    steep = cliffs(points)
    compared = sum("torch_compile_us" in p for p in points)
    yield (f"{len(points)} points: {len(faults)} failed, {len(wrong)} wrong, {len(unrepeatable)} with other bits on a second run, "
           f"{len(unstable)} with other bits beside another number of rows, {len(steep)} under {CLIFF:.0%} of the best neighbour, "
           f"{len(slower)} of {compared} slower than torch.compile")
    for name, found, text in (("failed", faults, lambda p: p["fault"]), ("wrong", wrong, lambda p: f"error {p['max_rel_err']}"),
                              ("other bits on a second run", unrepeatable, lambda p: ""),
                              ("other bits beside another number of rows", unstable, lambda p: ""),
                              ("cliff", steep, lambda p: f"{p['of_best_neighbour']:.2f} of the best neighbour, {p['us']:.1f} us, {p['gbs']:.0f} GB/s"),
                              ("slower than torch.compile", slower, lambda p: f"{p['us']:.1f} us, torch.compile {p['torch_compile_us']:.1f} us")):
        for point in found[:MOST_LISTED]:
            yield f"{name}: {title(point)} {text(point)}".rstrip()
