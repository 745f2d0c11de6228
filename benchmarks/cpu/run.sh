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

printf '{"header": {"processor": "%s", "date": "%s", "commit": "%s"}}\n' \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(date +%F)" \
  "${TENON_COMMIT:-$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo unknown)}" >>"$lines"
cmake --build "$build" --parallel "$(nproc)" --target tenon_cpu_benchmarks >/dev/null
"$build/benchmarks/bench_cpu_seed_expressions" "$@" >>"$lines"
for peer in numpy torch; do
  if "$python" -c "import numpy, $peer" 2>/dev/null; then
    "$python" "$here/${peer}_peer.py" "$@" >>"$lines"
  else
    echo "run.sh: $python has no $peer: no rows of it" >&2
  fi
done
"$python" "$here/../merge.py" "$lines" --out "$out"
