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

// The extents in a type as values: what the checks and their messages read, so that they are compiled once and not for
// every type.
struct extent_list {
  tenon::extent const* items;
  int rank;
};

TENON_ONCE_BEGIN
// "[B, ?, 512]"
[[gnu::cold, gnu::noinline]] inline text text_of(extent_list const& of) {
  text result = "[";
  for (int i = 0; i < of.rank; ++i) {
    tenon::extent const& e = of.items[i];
    if (i) result << ", ";
    e.is_named() ? result << e.name : e.is_static() ? result << e.size : result << '?';
  }
  return result << ']';
}

inline axis_list values_of(extent_list const& of, std::int64_t const* values) {
  return array_view<std::int64_t const>(values, static_cast<std::size_t>(of.rank));
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_extents(
    const char* operation, const char* subject, extent_list const& of, std::int64_t const* extents,
    text const& problem, const char* remedy) {
  raise({.operation = operation,
         .problem = subject + problem,
         .remedy = remedy,
         .shapes = text_of(of) << " given " << to_string(values_of(of, extents))});
}

// @pre extents[i] does not agree with the type, or with extents[j]
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_extent(
    const char* operation, const char* subject, extent_list const& of, std::int64_t const* extents,
    int i, int j) {
  tenon::extent const& e = of.items[i];
  text problem;
  if (j < i) {
    problem << "extent \"" << e.name << "\" is " << extents[j] << " at axis " << j << " and "
            << extents[i] << " at axis " << i;
    refuse_extents(operation, subject, of, extents, problem,
                   "axes of one name have one length; use another name or tn::dyn");
  }
  problem << "axis " << i << " has extent " << extents[i];
  if (extents[i] < 0)
    refuse_extents(operation, subject, of, extents, problem, "extents are 0 or more");
  problem << " but the type says " << e.size;
  refuse_extents(operation, subject, of, extents, problem,
                 "give the extent of the type, or use tn::dyn there");
}
TENON_ONCE_END

// Raises unless the extents are legal, equal to the static ones, and equal where they have one
// name. The subject is what has these extents, when it has a name: "'digits.npy': ".
inline void check_extents(const char* operation, const char* subject, extent_list const& of,
                          std::int64_t const* extents, int element_bytes) {
  for (int i = 0; i < of.rank; ++i) {
    tenon::extent const& e = of.items[i];
    if (extents[i] < 0 || (e.is_static() && extents[i] != e.size))
      refuse_extent(operation, subject, of, extents, i, i);
    for (int j = 0; e.is_named() && j < i; ++j)
      if (e == of.items[j] && extents[i] != extents[j])
        refuse_extent(operation, subject, of, extents, i, j);
  }
  std::int64_t bytes = 0;
  maybe<std::int64_t> count = element_count(extents, of.rank);
  if (!count || __builtin_mul_overflow(*count, element_bytes, &bytes))
    refuse_extents(
        operation, subject, of, extents,
        text("the elements of ") << to_string(values_of(of, extents)) << " take 2^63 bytes or more",
        "use smaller extents");
}

// Raises when an offset in bytes does not fit in 64 bits.
// @pre check_extents did not raise
inline void check_reach(const char* operation, extent_list const& of, std::int64_t const* extents,
                        std::int64_t const* strides, int element_bytes) {
  std::int64_t lowest = 0, highest = 0;
  for (int i = 0; i < of.rank; ++i) {
    std::int64_t bytes = 0;
    if (extents[i] <= 1) continue;
    if (__builtin_mul_overflow(extents[i] - 1, strides[i], &bytes) ||
        __builtin_mul_overflow(bytes, element_bytes, &bytes) ||
        (bytes < 0 ? __builtin_add_overflow(lowest, bytes, &lowest)
                   : __builtin_add_overflow(highest, bytes, &highest)))
      refuse_extents(operation, "", of, extents,
                     text("strides ") << to_string(values_of(of, strides)) << " reach beyond 2^63 bytes",
                     "use smaller strides, counted in elements");
  }
}

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

  // All extents, from the run-time and named ones in order.
  static extent_array complete(const char* operation, run_time_array const& given,
                               int element_bytes) {
    extent_array result{};
    int next = 0;
    for (int i = 0; i < rank; ++i) result[i] = list[i].is_static() ? list[i].size : given[next++];
    check(operation, result, element_bytes);
    return result;
  }
  static void check(const char* operation, extent_array const& extents, int element_bytes,
                    const char* subject = "") {
    check_extents(operation, subject, {list.data(), rank}, extents.data(), element_bytes);
  }
  static void check_reach(const char* operation, extent_array const& extents,
                          extent_array const& strides, int element_bytes) {
    detail::check_reach(operation, {list.data(), rank}, extents.data(), strides.data(),
                        element_bytes);
  }
  static tenon::text text_of(extent_array const& extents) {
    return to_string(axis_list(array_view<std::int64_t const>(extents)));
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
