#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to test results: set up, configure, build, ctest. Arguments go to ctest.
# TENON_PRESET chooses another preset than cuda (with nvcc) or cpu (without).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/cuda.sh

scripts/setup.sh
default_preset=cpu
if find_nvcc; then default_preset=cuda; fi
preset="${TENON_PRESET:-$default_preset}"
jobs="$(nproc)"

cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$jobs"

arguments=(--preset "$preset" --parallel "$jobs" --no-tests=error)
has_gpu || echo "No GPU here: the tests of the CUDA backend are compiled and reported as skipped."
log="build/$preset/ctest.log"
status=0
ctest "${arguments[@]}" "$@" 2>&1 | tee "$log" || status=$?

grep -E '^[0-9]+% tests passed' "$log" || true  # the counts, last
exit "$status"
