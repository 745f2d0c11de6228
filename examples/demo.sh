#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to the demonstration: on the GPU when there is one and nvcc, else on the CPU. Arguments go to it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/cuda.sh

scripts/setup.sh
options=(-DTENON_ENABLE_CUDA=OFF)
if find_nvcc && has_gpu; then
  options=(-DTENON_ENABLE_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$(gpu_architecture)")
fi
# The demonstration needs neither the tests nor GoogleTest.
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! { cmake -S . -B build/demo -G Ninja -DTENON_BUILD_TESTS=OFF -DTENON_BUILD_BENCHMARKS=OFF "${options[@]}" &&
       cmake --build build/demo --target tenon_demo; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
build/demo/examples/tenon_demo "$@"
