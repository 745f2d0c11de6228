// SPDX-License-Identifier: Apache-2.0
#pragma once
// A block's results → memory past the caches, where a call writes more than these hold: a plain
// store reads a line before it writes it, and evicts what could be of use.

#include <cstdint>
#include <cstring>

#include <unistd.h>

namespace tenon::cpu_backend {

#if defined(__x86_64__) && defined(__GNUC__)
inline constexpr bool has_streamed_stores = true;
#else
inline constexpr bool has_streamed_stores = false;
#endif

// A line of the cache: written whole, or it is read after all.
inline constexpr int line_bytes = 64;

// An operand of more bytes is written past the caches: the last cache does not hold it, or, where
// that is large or the system names the sum of a processor's several, hardly beside what is read.
inline long long most_bytes_to_cache() {
  constexpr long long most = 64ll << 20;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  static long long const of_last_cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (of_last_cache > 0 && of_last_cache < most) return of_last_cache;
#endif
  return most;
}
// Ends of rows share lines with their neighbours and are written plainly: short rows are as a
// whole.
inline bool is_worth_streaming(long long bytes, long long bytes_of_row) {
  return has_streamed_stores && bytes_of_row >= 32 * line_bytes && bytes > most_bytes_to_cache();
}

// @pre `to` is at the begin of a line
inline void stream_line(unsigned char* to, unsigned char const* from) {
#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__AVX512F__)
  constexpr int width = 64;
#elif defined(__AVX__)
  constexpr int width = 32;
#else
  constexpr int width = 16;
#endif
  using vector = long long __attribute__((vector_size(width)));
  for (int k = 0; k < line_bytes; k += width) {
    vector part;
    std::memcpy(&part, from + k, width);
#if defined(__clang__)
    __builtin_nontemporal_store(part, reinterpret_cast<vector*>(to + k));
#elif defined(__AVX512F__)
    __builtin_ia32_movntdq512(reinterpret_cast<vector*>(to + k), part);
#elif defined(__AVX__)
    __builtin_ia32_movntdq256(reinterpret_cast<vector*>(to + k), part);
#else
    __builtin_ia32_movntdq(reinterpret_cast<vector*>(to + k), part);
#endif
  }
#else
  std::memcpy(to, from, line_bytes);
#endif
}

// @post the lines that lie in [to, to + count) as a whole are streamed, the rest is stored plainly;
// other threads may see them after finish_streamed_stores() of this one
template <class T> void store_streamed(T const* from, T* to, int count) {
  auto const* source = reinterpret_cast<unsigned char const*>(from);
  auto* target = reinterpret_cast<unsigned char*>(to);
  std::size_t left = sizeof(T) * static_cast<std::size_t>(count);
  std::size_t const past = reinterpret_cast<std::uintptr_t>(target) % line_bytes;
  std::size_t head = past == 0 ? 0 : line_bytes - past;
  if (head > left) head = left;
  std::memcpy(target, source, head);
  target += head, source += head, left -= head;
  for (; left >= line_bytes; target += line_bytes, source += line_bytes, left -= line_bytes)
    stream_line(target, source);
  std::memcpy(target, source, left);
}

// The order that a barrier gives plain stores, it does not give these.
inline void finish_streamed_stores() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace tenon::cpu_backend
