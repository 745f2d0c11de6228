#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests of the CUDA backend on a machine without a GPU: set up, configure, build, ctest -L gpu under the emulator
# (tests/emulator/README.md). Arguments go to ctest.
#
# TENON_EMULATED_TARGETS names the programs to build, all of tenon_gpu_tests when empty: one takes minutes (tenon_nn_cuda).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/cuda.sh

scripts/setup.sh
find_nvcc || { echo "emulated.sh: no nvcc" >&2; exit 1; }
preset=emulated
jobs="$(nproc)"
read -ra targets <<<"${TENON_EMULATED_TARGETS:-tenon_gpu_tests}"

cmake --preset "$preset"
cmake --build --preset "$preset" --parallel "$jobs" --target "${targets[@]}"

log="build/$preset/ctest.log"
status=0
ctest --preset "$preset" --parallel "$jobs" --no-tests=error -L '^gpu$' "$@" 2>&1 | tee "$log" || status=$?

grep -E '^[0-9]+% tests passed' "$log" || true  # the counts, last
exit "$status"
