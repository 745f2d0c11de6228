#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The CPU backend beside NumPy and PyTorch, one after the other, on all cores: rows and the ceiling of the run as JSON.
#
# Usage: benchmarks/cpu/run.sh BUILD_DIR OUT_FILE [rows] [columns]      PYTHON: an interpreter with NumPy (and PyTorch)
set -euo pipefail
[[ $# -ge 2 ]] || { sed -n 's/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
build="$1" out="$2"
shift 2
here="$(dirname "${BASH_SOURCE[0]}")" python="${PYTHON:-python3}"
lines="$(mktemp)"
trap 'rm -f "$lines"' EXIT

cmake --build "$build" --parallel "$(nproc)" --target tenon_cpu_benchmarks >/dev/null
"$build/benchmarks/bench_cpu_seed_expressions" "$@" >>"$lines"
for peer in numpy torch; do
  if "$python" -c "import numpy, $peer" 2>/dev/null; then
    "$python" "$here/${peer}_peer.py" "$@" >>"$lines"
  else
    echo "run.sh: $python has no $peer: no rows of it" >&2
  fi
done
"$python" - "$lines" "$out" <<'PYTHON'
import json
import platform
import sys

lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
header = lines[0]["header"]["cpu"]
header["processor"] = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                            if line.startswith("model name")), platform.processor())
for package in ("numpy", "torch"):
    try:
        header[package] = __import__(package).__version__
    except ImportError:
        header[package] = "absent"
rows = lines[1:]
for row in rows:
    row["of_copy"] = round(row["gbs"] / header["ceilings"]["copy_gbs"], 4)
with open(sys.argv[2], "w", encoding="utf-8") as file:
    file.write('{"header": ' + json.dumps(header) + ',\n"rows": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]}\n")
for row in rows:
    print(f'{row["workload"]:22} {row["provider"]:14} {row["us"]:10.1f} us {row["of_copy"]:6.3f} of copy')
PYTHON
