#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the toolkit's runtime has and the objects given do not: a function each that says its name and aborts.
#
# Usage: missing_functions.sh <libcudart.so of the toolkit> <source to write> <object>...
set -euo pipefail
export LC_ALL=C
library="$1" output="$2"
shift 2

{
  echo 'extern "C" [[noreturn]] void tenon_emulator_missing(char const* name);'
  comm -23 <(nm -D --defined-only "$library" | awk '$2 ~ /[TtWi]/ {sub("@.*", "", $3); print $3}' | sort -u) \
           <(nm --defined-only "$@" | awk '$2 == "T" {print $3}' | sort -u) |
    sed -nE 's/^(_*cuda[A-Za-z0-9_]*)$/extern "C" void \1() { tenon_emulator_missing("\1"); }/p'
} >"$output"
