#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a build needs and this machine lacks, by apt; silent when nothing is missing.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

has_command() { command -v "$1" >/dev/null 2>&1; }
has_file() { local file; for file in "$@"; do [[ -e "$file" ]] && return 0; done; return 1; }

missing=()
need() { missing+=("$1"); }

has_command g++ || need g++
has_command cmake || need cmake
has_command ninja || need ninja-build
has_command python3 || need python3
has_file /usr/include/boost/hana/tuple.hpp /usr/local/include/boost/hana/tuple.hpp \
         "$here/.deps/boost/boost/hana/tuple.hpp" || need libboost-dev
has_file /usr/include/gtest/gtest.h /usr/local/include/gtest/gtest.h /usr/src/googletest/CMakeLists.txt \
         "$here/.deps/googletest/CMakeLists.txt" || need libgtest-dev

if (( ${#missing[@]} )); then
  if ! has_command apt-get; then
    echo "setup: missing ${missing[*]} (Debian names), and no apt-get here: install them by hand" >&2
    exit 1
  fi
  as_root=()
  if (( EUID != 0 )); then
    if ! has_command sudo; then
      echo "setup: missing ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends)
  log="$(mktemp)"
  # The package lists may be absent or old: refresh them when the first try fails.
  if ! "${install[@]}" "${missing[@]}" >"$log" 2>&1; then
    "${as_root[@]}" apt-get update -q >"$log" 2>&1 || true
    if ! "${install[@]}" "${missing[@]}" >"$log" 2>&1; then
      cat "$log" >&2
      echo "setup: apt-get could not install ${missing[*]}" >&2
      exit 1
    fi
  fi
  rm -f "$log"
fi

version="$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')"
if [[ "$(printf '%s\n3.25\n' "$version" | sort -V | head -n 1)" != 3.25 ]]; then
  echo "setup: CMake $version is too old; 3.25 or later is needed" >&2
  exit 1
fi
