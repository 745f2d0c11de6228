// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a shared library of workloads offers to harness/libraries.py: a table of functions, each of
// which makes one call on arrays and a stream that the caller owns.

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "tenon/tenon.hpp"

namespace bench {

inline constexpr int most_axes = 4;

// Row-major memory of the device; mirrored by harness/libraries.py.
struct array {
  void* data;
  long long extents[most_axes];
};

namespace detail {
constexpr tenon::extent run_time_axis(int) { return tenon::dyn; }
template <class T, class Axes> struct view_of_rank;
template <class T, int... I> struct view_of_rank<T, std::integer_sequence<int, I...>> {
  using type = tenon::view<T, run_time_axis(I)...>;
};
}  // namespace detail

template <class T, int Rank>
using view = typename detail::view_of_rank<T, std::make_integer_sequence<int, Rank>>::type;

// The inputs of one call, then its outputs.
class call {
 public:
  call(array const* arrays, tenon::stream on) : arrays_(arrays), on_(on) {}

  tenon::stream stream() const { return on_; }
  template <class T> T* data(int k) const { return static_cast<T*>(arrays_[k].data); }
  long long extent(int k, int axis) const { return arrays_[k].extents[axis]; }
  template <class T, int Rank> view<T const, Rank> in(int k) const { return get<T const, Rank>(k); }
  template <class T, int Rank> view<T, Rank> out(int k) const { return get<T, Rank>(k); }

 private:
  template <class T, int Rank> view<T, Rank> get(int k) const {
    typename view<T, Rank>::extent_array extents{};
    for (int axis = 0; axis < Rank; ++axis)
      extents[static_cast<std::size_t>(axis)] = arrays_[k].extents[axis];
    return view<T, Rank>::with_extents(data<T>(k), extents);
  }

  array const* arrays_;
  tenon::stream on_;
};

// Null, or what went wrong; valid until the next call on this thread.
using function = char const* (*)(array const*, void* stream);

template <void (*Body)(call const&)>
char const* guarded(array const* arrays, void* stream) noexcept {
  static thread_local std::string message;
  try {
    Body(call(arrays, static_cast<CUstream_st*>(stream)));
    return nullptr;
  } catch (std::exception const& fault) {
    message = fault.what();
    return message.c_str();
  }
}

struct entry {
  char const* workload;
  char const* dtype;  // f32 or bf16: of the first input
  int rank;           // of the first input
  function run;
  bool is_capturable = true;  // whether a CUDA graph can hold the call
};

struct table {
  char const* provider;
  char const* version;  // or null: the run's commit
  entry const* entries;
  int count;
};

template <std::size_t Count>
constexpr table table_of(char const* provider, entry const (&entries)[Count],
                         char const* version = nullptr) {
  return {provider, version, entries, static_cast<int>(Count)};
}

}  // namespace bench

// What every library defines; the only name that leaves it.
extern "C" [[gnu::visibility("default")]] bench::table bench_entries();
