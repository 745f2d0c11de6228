# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: finds nvcc and the device.

# Puts nvcc on PATH when it is installed where the toolkit goes; false when there is none.
find_nvcc() {
  local folder
  command -v nvcc >/dev/null 2>&1 && return 0
  for folder in "${CUDA_PATH:-}" "${CUDA_HOME:-}" /usr/local/cuda; do
    if [[ -n "$folder" && -x "$folder/bin/nvcc" ]]; then
      export PATH="$PATH:$folder/bin"
      return 0
    fi
  done
  return 1
}

has_gpu() { command -v nvidia-smi >/dev/null 2>&1 && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# Compute capability of the first device as CMake writes it: 90
gpu_architecture() { nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. '; }
