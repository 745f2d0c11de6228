#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with a GPU: builds the benchmarks where they are not built, then Tenon and its peers in turns, one result
# file per program, a table. Under ten minutes for everything.
#
# Usage: benchmarks/run.sh [--build DIR] [--out DIR] [--bars FILE] [--groups A,B] [--only A,B] [--providers A,B]
#                          [--modes A,B] [--quick] [--no-peers] [--sweep | --no-sweep]
#   --build      build folder (build/gpu)
#   --out        folder for lines, logs, <device>.json and sweep.json ($TENON_OUT, else build/gpu-results)
#   --bars       JSON list of rows to compare with, shown in the table's last column
#   --groups, --only, --providers, --modes   what measure.py measures (see measure.py --help)
#   --no-peers   Tenon alone
#   --sweep      the sweep over row counts and lengths alone; --no-sweep: all but the sweep
#   TENON_COMMIT    the commit to write down where there is no repository
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/cuda.sh

build=build/gpu out="${TENON_OUT:-build/gpu-results}" bars=() choice=() quick=() sweep=() peers=1 has_rows=1 has_sweep=1
groups=""
while (( $# )); do
  case "$1" in
    --build) build="$2"; shift ;;
    --out) out="$2"; shift ;;
    --bars) bars=(--bars "$2"); shift ;;
    --groups) groups="$2"; choice+=("$1" "$2"); has_sweep=0; shift ;;
    --only) groups="${groups:-none}"; choice+=("$1" "$2"); has_sweep=0; shift ;;
    --providers) choice+=("$1" "$2"); has_sweep=0; shift ;;
    --modes) choice+=("$1" "$2"); shift ;;
    --quick) quick=(--quick) ;;
    --no-peers) peers=0; choice+=(--providers tenon); sweep+=(--no-peers) ;;
    --sweep) has_rows=0 has_sweep=1 ;;
    --no-sweep) has_sweep=0 ;;
    *) echo "run.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
mkdir -p "$out" || exit 1
out="$(cd "$out" && pwd)"
lines="$out/benchmark.jsonl" log="$out/benchmark.log" failures=0
: >"$lines"
: >"$log"

find_nvcc || { echo "run.sh: no nvcc" >&2; exit 1; }
has_gpu || { echo "run.sh: no GPU (nvidia-smi -L names none)" >&2; exit 1; }
python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>>"$log" ||
  { echo "run.sh: python3 has no PyTorch with CUDA, which holds the tensors" >&2; exit 1; }

# The compilation caches belong to this run: what is timed was compiled by it.
export TORCHINDUCTOR_CACHE_DIR="$out/inductor-cache" TRITON_CACHE_DIR="$out/triton-cache" QUACK_CACHE_DIR="$out/quack-cache"
remove_caches() { rm -rf "$TORCHINDUCTOR_CACHE_DIR" "$TRITON_CACHE_DIR" "$QUACK_CACHE_DIR"; }
remove_caches
trap remove_caches EXIT

# Where `nvidia-smi` cannot tell, the field is empty.
smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1; }
add_clocks() {  # $1: the header's name for this moment
  printf '{"header": {"driver": "%s", "%s": {"sm_clock": "%s", "memory_clock": "%s", "power": "%s", "temperature": "%s"}}}\n' \
    "$(smi driver_version)" "$1" "$(smi clocks.sm)" "$(smi clocks.mem)" "$(smi power.draw)" "$(smi temperature.gpu)" >>"$lines"
}

step() {  # name, limit in seconds or - for a function, command...: a failure is reported, the other steps still run
  local name="$1" limit=(timeout --kill-after=10 "$2") begin=$SECONDS status
  [[ "$2" == - ]] && limit=()
  shift 2
  printf '\n=== %s: %s\n' "$name" "$*" >>"$log"
  "${limit[@]}" "$@" >>"$log" 2>&1
  status=$?
  printf '%-28s %4s s%s\n' "$name" "$((SECONDS - begin))" "$( (( status )) && echo "  failed ($status), see $log")"
  (( status == 0 )) || failures=$((failures + 1))
}

measure=(python3 benchmarks/measure.py --libraries "$build/benchmarks" "${choice[@]}" "${quick[@]}")

# In parallel and untimed; what the timed run chooses between configurations it chooses by itself, alone on the device.
in_parts() {
  local part parts=$(( $(nproc) - 2 ))
  (( parts > 0 )) || parts=1
  for (( part = 0; part < parts; ++part )); do
    TORCHINDUCTOR_COMPILE_THREADS=1 "$@" --compile-only "$part/$parts" &
  done
  wait
}

build_all() {
  local generator=() keep_going=(-k)
  command -v ninja >/dev/null && generator=(-G Ninja)
  [[ -f "$build/CMakeCache.txt" ]] || cmake -S . -B "$build" "${generator[@]}" -DTENON_ENABLE_CUDA=ON \
    -DCMAKE_BUILD_TYPE=Release -DTENON_BUILD_EXAMPLES=OFF -DTENON_BUILD_TESTS=OFF \
    "-DCMAKE_CUDA_ARCHITECTURES=$(gpu_architecture)" || return
  # A library that does not compile leaves out its rows, not everybody's.
  grep -q 'CMAKE_GENERATOR:INTERNAL=Ninja' "$build/CMakeCache.txt" && keep_going=(-k 0)
  cmake --build "$build" --parallel "$(nproc)" --target tenon_benchmarks -- "${keep_going[@]}"
}
step "build" - build_all
if (( has_rows )); then
  (( peers )) && step "peers compile, untimed" - in_parts "${measure[@]}"
  printf '{"header": {"date": "%s", "commit": "%s"}}\n' "$(date -u +%F)" \
    "${TENON_COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}" >>"$lines"
  add_clocks before
  step "measure.py" 480 "${measure[@]}" --out "$lines"
  for name in small_calls call_overhead; do
    [[ -z "$groups" || ",$groups," == *",$name,"* ]] &&
      step "$name" 60 "$build/benchmarks/bench_$name" --out "$lines" "${quick[@]}"
  done
  add_clocks after
  device="$(smi name | sed 's/^NVIDIA //' | tr 'A-Z ' 'a-z_')"
  python3 benchmarks/merge.py "$lines" --out "$out/${device:-device}.json" "${bars[@]}" | tee "$out/benchmark.txt" ||
    failures=$((failures + 1))
fi
if (( has_sweep )); then
  sweep+=(--libraries "$build/benchmarks" "${quick[@]}")
  (( peers )) && step "sweep: torch.compile, untimed" - in_parts python3 benchmarks/sweep.py "${sweep[@]}"
  step "sweep.py" 300 python3 benchmarks/sweep.py "${sweep[@]}" --out "$out/sweep.json"
  grep '^sweep: ' "$log"
fi
echo "results in $out, $failures steps failed"
exit $(( failures > 0 ))
