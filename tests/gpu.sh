#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with a GPU: build, GPU tests, compute-sanitizer on a slice of them, benchmarks; a table last.
#
# Usage: tests/gpu.sh [build] [test] [sanitize] [bench]      (none named: these)
#        tests/gpu.sh conformance fuzz accuracy              published cases, random programs, all values of every function
#   TENON_OUT                folder for logs and results (build/gpu-results)
#   TENON_TEST_FILTER        gtest filter of the stage test (*)
#   TENON_SANITIZE_FILTER    gtest filter of the stage sanitize (*)
#   TENON_SANITIZE_SHARDS    of the filtered tests every so many-th is run under each tool (8)
#   TENON_CONFORMANCE_DIR    directory of published cases
#   TENON_FUZZ_COUNT, _FIRST    how many random programs (500), from which seed (1)
#   TENON_BENCH_ARGS         arguments of benchmarks/run.sh (--quick, --no-peers, --groups A,B)
#   TENON_LIMIT_S_BUILD, _TEST, _SANITIZE, _BENCH, _PROGRAMS    time limit of one step (300, 240, 120, 540, 540)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/cuda.sh

out="${TENON_OUT:-build/gpu-results}"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
build=build/gpu
stages=("$@")
(( ${#stages[@]} )) || stages=(build test sanitize bench)
for stage in "${stages[@]}"; do
  case "$stage" in build|test|sanitize|bench|conformance|fuzz|accuracy) ;; *) echo "gpu.sh: no stage '$stage'" >&2; exit 2 ;; esac
done

find_nvcc || { echo "gpu.sh: no nvcc" >&2; exit 1; }
has_gpu || { echo "gpu.sh: no GPU (nvidia-smi -L names none)" >&2; exit 1; }

# The sanitizer's programs run beside each other; threads that wait must not hold a core.
export OMP_WAIT_POLICY=passive

rows=()
failures=0

# note_of <log>: what a test program or the sanitizer said last.
note_of() {
  grep -E '^\[  (PASSED|FAILED)  \] [0-9]+ tests?|^========= ERROR SUMMARY|no CUDA device' "$1" |
    sed 's/ listed below:$//; s/=========//' | awk '!seen[$0]++' | tr -s '\n ' ' '
}

# start <stage> <name> <limit in seconds> <command...>: runs it beside the others that were started.
started=()
start() {
  local stage="$1" name="$2" limit_s="$3" log
  shift 3
  log="$out/$stage.${#started[@]}.part"
  printf '=== %s: %s\n' "$name" "$*" >"$log"
  started+=("$stage|$name|$limit_s|$log|$SECONDS")
  { timeout --kill-after=10 "$limit_s" "$@" >>"$log" 2>&1; echo "$? $SECONDS" >"$log.end"; } &
}

# finish: waits for all that was started; one row of the table each, their outputs to the stage's log. Fails if one failed.
finish() {
  local each stage name limit_s log begin status end note worst=0
  wait
  for each in "${started[@]}"; do
    IFS='|' read -r stage name limit_s log begin <<<"$each"
    read -r status end <"$log.end"
    note="$(note_of "$log")"
    (( status == 124 || status == 137 )) && note="time limit of $limit_s s; $note"
    # A run that tested nothing is no success.
    [[ "$note" == *"no CUDA device"* ]] && status=1
    if (( status != 0 )); then
      failures=$((failures + 1)) worst=1
      echo "--- $stage: $name failed ($status); the end of its output:"
      tail -n 40 "$log"
    fi
    rows+=("$(printf '%-9s %-34s %6s %6ss  %s' "$stage" "$name" "$status" "$((end - begin))" "$note")")
    cat "$log" >>"$out/$stage.log"
    rm -f "$log" "$log.end"
  done
  started=()
  return "$worst"
}

# step: one command by itself, as `start` takes it.
step() {
  start "$@"
  finish
}

run_build() {
  local generator=()
  command -v ninja >/dev/null && generator=(-G Ninja)
  step build configure 60 cmake -S . -B "$build" "${generator[@]}" -DTENON_ENABLE_CUDA=ON -DCMAKE_BUILD_TYPE=Release \
    -DTENON_BUILD_EXAMPLES=OFF "-DCMAKE_CUDA_ARCHITECTURES=$(gpu_architecture)" || return
  step build compile "${TENON_LIMIT_S_BUILD:-300}" cmake --build "$build" --parallel "$(nproc)" \
    --target tenon_gpu_tests tenon_benchmarks
}

# What was built of the tests of the CUDA backend (tests/run/CMakeLists.txt).
test_programs() {
  find "$build/tests" -maxdepth 2 -type f -executable -regex '.*/tenon_[a-z_]*_\(cuda\|sm_80\)' 2>/dev/null | sort
}

# selected_programs <gtest filter>: those that have a test of it. The sanitizer fails of a program that never comes to the device.
selected_programs() {
  local program
  for program in $(test_programs); do
    "$program" "--gtest_filter=$1" --gtest_list_tests | grep '^  ' >/dev/null && echo "$program"
  done
}

# One after the other: programs beside each other have the device in turns, for which every small call waits.
run_test() {
  local program worst=0
  for program in $(selected_programs "${TENON_TEST_FILTER:-*}"); do
    step test "$(basename "$program")" "${TENON_LIMIT_S_TEST:-240}" \
      "$program" "--gtest_filter=${TENON_TEST_FILTER:-*}" || worst=1
  done
  return "$worst"
}

run_sanitize() {
  local tool program programs options
  programs="$(selected_programs "${TENON_SANITIZE_FILTER:-*}")"
  for tool in memcheck racecheck initcheck; do
    options=()
    # Tests of bad input provoke errors of the CUDA API on purpose; they assert them themselves.
    [[ "$tool" == memcheck ]] && options=(--report-api-errors no)
    for program in $programs; do
      start sanitize "$tool $(basename "$program")" "${TENON_LIMIT_S_SANITIZE:-120}" \
        env "GTEST_TOTAL_SHARDS=${TENON_SANITIZE_SHARDS:-8}" GTEST_SHARD_INDEX=0 \
        compute-sanitizer --tool "$tool" --error-exitcode 9 "${options[@]}" \
        "$program" --gtest_brief=1 "--gtest_filter=${TENON_SANITIZE_FILTER:-*}"
    done
  done
  finish
}

run_bench() {
  # shellcheck disable=SC2086  # the arguments are a list
  step bench "benchmarks/run.sh" "${TENON_LIMIT_S_BENCH:-540}" \
    benchmarks/run.sh --build "$build" --out "$out" ${TENON_BENCH_ARGS:-}
}

# The compiler of generated programs, after --.
nvcc_command() {
  local hana=()
  [[ -d .deps/boost ]] && hana=(-isystem "$PWD/.deps/boost")
  echo nvcc -std=c++20 "-arch=sm_$(gpu_architecture)" -Xcompiler=-fopenmp -w "-I$PWD/include" "${hana[@]}"
}
run_conformance() {
  local command own
  read -ra command <<<"$(nvcc_command)"
  for own in "" --own; do
    step conformance "conformance/run.py $own" "${TENON_LIMIT_S_PROGRAMS:-540}" \
      python3 tests/conformance/run.py $own --kind nvcc --build "$build/conformance$own" -- "${command[@]}"
  done
  grep -hE '^(cases expressible|right among)' "$out/conformance.log"
}
run_fuzz() {
  local command
  read -ra command <<<"$(nvcc_command)"
  step fuzz "fuzz/run.py" "${TENON_LIMIT_S_PROGRAMS:-540}" python3 tests/fuzz/run.py --kind nvcc --first "${TENON_FUZZ_FIRST:-1}" \
    --count "${TENON_FUZZ_COUNT:-500}" --build "$build/fuzz" -- "${command[@]}"
  grep -hE '^(programs|wrong)' "$out/fuzz.log"
}
run_accuracy() {
  step accuracy compile "${TENON_LIMIT_S_BUILD:-300}" cmake --build "$build" --parallel "$(nproc)" --target tenon_accuracy_cuda &&
    step accuracy tenon_accuracy_cuda "${TENON_LIMIT_S_PROGRAMS:-540}" "$build/benchmarks/tenon_accuracy_cuda" --out "$out/accuracy.json"
}

for stage in "${stages[@]}"; do
  : >"$out/$stage.log"
  rows_before=${#rows[@]}
  "run_$stage"
  if (( ${#rows[@]} == rows_before )); then
    failures=$((failures + 1))
    rows+=("$(printf '%-9s %-34s %6s %6ss  %s' "$stage" "(no program, or no test in them)" - 0 "")")
  fi
  [[ "$stage" == build && $failures -gt 0 ]] && break
done
[[ -f "$out/bench.log" ]] && cat "$out/bench.log"

{
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader | head -n 1
  printf '%-9s %-34s %6s %7s\n' stage step status time
  printf '%s\n' "${rows[@]}"
  echo "$failures failed"
} | tee "$out/summary.txt"
exit $(( failures > 0 ))
