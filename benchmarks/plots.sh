#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From benchmarks/results to docs: the figures (docs/images) and the numbers in docs/performance.md.
#
# Usage: benchmarks/plots.sh [RESULTS]    RESULTS: a folder of run.sh, whose files are first copied to benchmarks/results
#   PYTHON    a Python with matplotlib (python3)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

python="${PYTHON:-python3}"
"$python" -c 'import matplotlib' || { echo "plots.sh: $python has no matplotlib; set PYTHON to one that has" >&2; exit 1; }
for name in h200.json sweep.json; do
  [[ $# -gt 0 && -f "$1/$name" ]] && cp "$1/$name" "benchmarks/results/$name"
done
"$python" benchmarks/plots.py
"$python" benchmarks/document.py
