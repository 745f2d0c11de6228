// SPDX-License-Identifier: Apache-2.0
#pragma once
// The extents in a tensor's type against the extents of a run: fills in the static ones and checks
// the others.

#include <array>
#include <cstdint>
#include <type_traits>

#include "tenon/core/config.hpp"
#include "tenon/core/dtype.hpp"
#include "tenon/core/error.hpp"
#include "tenon/core/extents.hpp"
#include "tenon/tensor/layout.hpp"

namespace tenon::detail {

template <extent... E> struct axes {
  static_assert(sizeof...(E) <= max_rank,
                "tenon: tensor: more than 8 axes; merge axes that are always used together");
  static_assert((E.is_legal() && ...),
                "tenon: tensor: a build-time extent is negative; use tn::dyn for a run-time extent");
  static constexpr int rank = static_cast<int>(sizeof...(E));
  static constexpr int run_time_rank = ((E.is_static() ? 0 : 1) + ... + 0);
  using extent_array = std::array<std::int64_t, sizeof...(E)>;
  using run_time_array = std::array<std::int64_t, static_cast<std::size_t>(run_time_rank)>;

  static constexpr std::array<tenon::extent, sizeof...(E)> list{E...};

  // "[B, ?, 512]"
  static tenon::text text() {
    tenon::text result = "[";
    for (int i = 0; i < rank; ++i) {
      tenon::extent const& e = list[i];
      if (i) result << ", ";
      e.is_named() ? result << e.name : e.is_static() ? result << e.size : result << '?';
    }
    return result << ']';
  }

  // All extents, from the run-time and named ones in order.
  static extent_array complete(const char* operation, run_time_array const& given,
                               int element_bytes) {
    extent_array result{};
    int next = 0;
    for (int i = 0; i < rank; ++i) result[i] = list[i].is_static() ? list[i].size : given[next++];
    check(operation, result, element_bytes);
    return result;
  }

  // Raises unless the extents are legal, equal to the static ones, and equal where they have one
  // name. The subject is what has these extents, when it has a name: "'digits.npy': ".
  static void check(const char* operation, extent_array const& extents, int element_bytes,
                    const char* subject = "") {
    for (int i = 0; i < rank; ++i) {
      if (extents[i] < 0)
        fail(operation, subject, extents,
             "axis " + to_string(i) + " has extent " + to_string(extents[i]),
             "extents are 0 or more");
      if (list[i].is_static() && extents[i] != list[i].size)
        fail(operation, subject, extents,
             "axis " + to_string(i) + " has extent " + to_string(extents[i]) +
                 " but the type says " + to_string(list[i].size),
             "give the extent of the type, or use tn::dyn there");
      for (int j = 0; j < i; ++j)
        if (list[i].is_named() && list[i] == list[j] && extents[i] != extents[j])
          fail(operation, subject, extents,
               "extent \"" + tenon::text(list[i].name) + "\" is " + to_string(extents[j]) +
                   " at axis " + to_string(j) + " and " + to_string(extents[i]) +
                   " at axis " + to_string(i),
               "axes of one name have one length; use another name or tn::dyn");
    }
    std::int64_t bytes = 0;
    std::optional<std::int64_t> count = element_count(std::span<std::int64_t const>(extents));
    if (!count || __builtin_mul_overflow(*count, element_bytes, &bytes))
      fail(operation, subject, extents,
           "the elements of " + text_of(extents) + " take 2^63 bytes or more",
           "use smaller extents");
  }

  // Raises when an offset in bytes does not fit in 64 bits.
  // @pre check(extents) did not raise
  static void check_reach(const char* operation, extent_array const& extents,
                          extent_array const& strides, int element_bytes) {
    std::int64_t lowest = 0, highest = 0;
    for (int i = 0; i < rank; ++i) {
      std::int64_t bytes = 0;
      if (extents[i] <= 1) continue;
      if (__builtin_mul_overflow(extents[i] - 1, strides[i], &bytes) ||
          __builtin_mul_overflow(bytes, element_bytes, &bytes) ||
          (bytes < 0 ? __builtin_add_overflow(lowest, bytes, &lowest)
                     : __builtin_add_overflow(highest, bytes, &highest)))
        fail(operation, "", extents, "strides " + text_of(strides) + " reach beyond 2^63 bytes",
             "use smaller strides, counted in elements");
    }
  }

  static tenon::text text_of(extent_array const& extents) {
    return to_string(axis_list(std::span<std::int64_t const>(extents)));
  }

 private:
  [[noreturn]] static void fail(const char* operation, const char* subject,
                                extent_array const& extents, tenon::text const& problem,
                                tenon::text remedy) {
    raise({.operation = operation,
           .problem = subject + problem,
           .remedy = std::move(remedy),
           .shapes = text() + " given " + text_of(extents)});
  }
};

// Whether the list To says no more than From, so that a conversion needs no check.
template <class From, class To> consteval bool always_fits() {
  if (From::rank != To::rank) return false;
  for (int i = 0; i < From::rank; ++i)
    if (From::list[i] != To::list[i] && !To::list[i].is_dynamic()) return false;
  return true;
}

// Element types may be declared and not defined (__half in a plain C++ translation unit): count
// bytes by dtype.
template <class T> T* advance(T* pointer, std::int64_t elements) {
  std::uintptr_t const moved = reinterpret_cast<std::uintptr_t>(pointer) +
                               static_cast<std::uintptr_t>(elements * size_of(tenon::dtype_of<T>));
  return elements ? reinterpret_cast<T*>(moved) : pointer;
}

template <class... Extents>
inline constexpr bool are_extents = (std::is_convertible_v<Extents, std::int64_t> && ...);

// Contiguous host memory of elements of T, such as a vector, a span or an array. Tensors and views, which have data() and
// size() too, have no begin(). Not std::ranges::contiguous_range: <ranges> costs 0.3 s under nvcc 13.0.
template <class Range, class T>
concept memory_range = requires(Range& range) {
  std::begin(range);
  std::size(range);
  requires std::is_convertible_v<decltype(std::data(range)), T*>;
  requires std::is_same_v<std::remove_cv_t<std::remove_pointer_t<decltype(std::data(range))>>,
                          std::remove_cv_t<T>>;
};

}  // namespace tenon::detail
