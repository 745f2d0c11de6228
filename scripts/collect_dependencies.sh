#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copies GoogleTest's sources and the Hana headers of this machine into .deps, for a machine without a network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ -f /usr/src/googletest/CMakeLists.txt ]] || { echo "collect: no /usr/src/googletest (Debian: googletest)" >&2; exit 1; }
[[ -f /usr/include/boost/hana.hpp ]] || { echo "collect: no boost/hana.hpp (Debian: libboost-dev)" >&2; exit 1; }

rm -rf .deps
mkdir -p .deps/googletest .deps/boost/boost
cp -r /usr/src/googletest/CMakeLists.txt /usr/src/googletest/googletest .deps/googletest/
rm -rf .deps/googletest/googletest/{test,samples,docs}
# its top-level file names googlemock, which is switched off but must be a folder
mkdir -p .deps/googletest/googlemock

# Hana itself, and whatever else of Boost it includes.
cp -r /usr/include/boost/hana.hpp /usr/include/boost/hana .deps/boost/boost/
echo '#include <boost/hana.hpp>' | g++ -std=c++20 -x c++ -M - | tr -s ' \\' '\n' | grep '^/usr/include/boost/' |
  while read -r header; do
    copy=".deps/boost/${header#/usr/include/}"
    [[ -f "$copy" ]] || install -D -m 644 "$header" "$copy"
  done

# It must work alone: -nostdinc++ would hide the standard library, so ask where Hana came from.
found="$(echo '#include <boost/hana/tuple.hpp>' | g++ -std=c++20 -isystem .deps/boost -x c++ -M - |
  tr -s ' \\' '\n' | grep -c '^/usr/include/boost/' || true)"
[[ "$found" == 0 ]] || { echo "collect: $found headers of Boost are still taken from the system" >&2; exit 1; }
du -sh .deps/googletest .deps/boost
