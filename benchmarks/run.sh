#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with a GPU, after `tests/gpu.sh build`: Tenon and its peers group by group, one result file, a table.
#
# Usage: benchmarks/run.sh [--build DIR] [--out DIR] [--bars FILE] [--groups A,B] [--modes A,B] [--quick] [--no-peers]
#   --build    folder with benchmarks/bench_* (build/gpu)
#   --out      folder for lines, logs and <device>.json ($TENON_OUT, else build/gpu-results)
#   TENON_COMMIT    the commit to write down where there is no repository
#   --bars     JSON list of rows to compare with, shown in the table's last column
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

build=build/gpu out="${TENON_OUT:-build/gpu-results}" bars=() modes=() quick=() peers=1
groups=pointwise,softmax,normalization,reductions,call_overhead
while (( $# )); do
  case "$1" in
    --build) build="$2"; shift ;;
    --out) out="$2"; shift ;;
    --bars) bars=(--bars "$2"); shift ;;
    --groups) groups="$2"; shift ;;
    --modes) modes=(--modes "$2"); shift ;;
    --quick) quick=(--quick) ;;
    --no-peers) peers=0 ;;
    *) echo "run.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$out" || exit 1
out="$(cd "$out" && pwd)"
lines="$out/benchmark.jsonl" log="$out/benchmark.log" failures=0
: >"$lines"
: >"$log"
IFS=, read -ra group_list <<<"$groups"

# The compilation caches belong to this run: what is timed was compiled by it.
export TORCHINDUCTOR_CACHE_DIR="$out/inductor-cache" TRITON_CACHE_DIR="$out/triton-cache"
rm -rf "$TORCHINDUCTOR_CACHE_DIR" "$TRITON_CACHE_DIR"
trap 'rm -rf "$TORCHINDUCTOR_CACHE_DIR" "$TRITON_CACHE_DIR"' EXIT
if (( peers )) && ! python3 -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>>"$log"; then
  echo "run.sh: python3 has no PyTorch with CUDA: no peers" >&2
  peers=0
fi

# Where `nvidia-smi` cannot tell, the field is empty.
smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
add_clocks() {  # $1: the header's name for this moment
  printf '{"header": {"%s": {"driver": "%s", "sm_clock": "%s", "memory_clock": "%s", "power": "%s", "temperature": "%s"}}}\n' \
    "$1" "$(smi driver_version)" "$(smi clocks.sm)" "$(smi clocks.mem)" "$(smi power.draw)" "$(smi temperature.gpu)" >>"$lines"
}
printf '{"header": {"date": "%s", "commit": "%s"}}\n' "$(date -u +%F)" \
  "${TENON_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}" >>"$lines"

step() {  # name, limit in seconds, command...: a failure is reported, and the other steps still run
  local name="$1" limit_s="$2" begin=$SECONDS status
  shift 2
  printf '\n=== %s: %s\n' "$name" "$*" >>"$log"
  timeout --kill-after=10 "$limit_s" "$@" >>"$log" 2>&1
  status=$?
  printf '%-28s %4s s%s\n' "$name" "$((SECONDS - begin))" "$( (( status )) && echo "  failed ($status), see $log")"
  (( status )) && failures=$((failures + 1))
}

if (( peers )); then
  # In parallel and untimed; what the timed run chooses between configurations it chooses by itself, alone on the device.
  begin=$SECONDS
  for group in "${group_list[@]}"; do
    TORCHINDUCTOR_COMPILE_THREADS=4 \
      timeout --kill-after=10 120 python3 benchmarks/peers/torch_peers.py --compile-only --groups "$group" \
      "${quick[@]}" "${modes[@]}" >>"$log" 2>&1 &
  done
  wait
  printf '%-28s %4s s\n' "torch.compile, untimed" "$((SECONDS - begin))"
fi

add_clocks before
for group in "${group_list[@]}"; do
  program="$build/benchmarks/bench_$group"
  if [[ -x "$program" ]]; then
    step "tenon $group" 120 "$program" --out "$lines" "${quick[@]}"
  else
    echo "run.sh: $program is not built" >&2
    failures=$((failures + 1))
  fi
  if (( peers )); then
    step "torch $group" 180 python3 benchmarks/peers/torch_peers.py --groups "$group" --out "$lines" \
      "${quick[@]}" "${modes[@]}"
  fi
done
add_clocks after

device="$(smi name | sed 's/^NVIDIA //' | tr 'A-Z ' 'a-z_')"
python3 benchmarks/merge.py "$lines" --out "$out/${device:-device}.json" "${bars[@]}" | tee "$out/benchmark.txt" || failures=$((failures + 1))
echo "results: $out/${device:-device}.json, $failures steps failed"
exit $(( failures > 0 ))
