// SPDX-License-Identifier: Apache-2.0
#pragma once
// A strided layout as a plain value, and the functions that turn one layout into another.

#include <cstdint>
#include <initializer_list>

#include "tenon/core/array_view.hpp"
#include "tenon/core/config.hpp"
#include "tenon/core/error.hpp"
#include "tenon/core/maybe.hpp"
#include "tenon/core/text.hpp"

namespace tenon {

// Element (i0, i1, ...) lies at offset + i0*strides[0] + i1*strides[1] + ...; strides count
// elements, may be negative or 0. Entries from `rank` on are 0, so that layouts compare as values.
struct layout {
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t strides[max_rank] = {};
  std::int64_t offset = 0;

  constexpr bool operator==(layout const&) const = default;
};

// One integer per axis: extents, starts, steps, or the axes of a permutation.
// @pre at most max_rank values
struct axis_list {
  int count = 0;
  std::int64_t values[max_rank] = {};

  constexpr axis_list() = default;
  constexpr axis_list(std::initializer_list<std::int64_t> list) {
    for (std::int64_t value : list) values[count++] = value;
  }
  constexpr axis_list(array_view<std::int64_t const> list) {
    for (std::int64_t value : list) values[count++] = value;
  }
  constexpr std::int64_t operator[](int i) const { return values[i]; }
  constexpr bool operator==(axis_list const&) const = default;
};

constexpr axis_list extents_of(layout const& from) {
  return array_view<std::int64_t const>(from.extents, static_cast<std::size_t>(from.rank));
}

// Number of elements; empty when an extent is negative or the non-zero extents multiply beyond 64
// bits, since a layout of such extents could not have strides.
constexpr maybe<std::int64_t> element_count(std::int64_t const* extents, int rank) {
  std::int64_t product = 1;
  bool is_empty = false;
  for (int i = 0; i < rank; ++i) {
    if (extents[i] < 0) return no_value;
    if (extents[i] == 0)
      is_empty = true;
    else if (__builtin_mul_overflow(product, extents[i], &product))
      return no_value;
  }
  return is_empty ? 0 : product;
}

// The layout of a fresh tensor. An axis before an empty one has the stride it would have were that
// axis 1 long.
// @pre element_count(extents) has a value
constexpr layout row_major(axis_list const& extents) {
  layout result{.rank = extents.count};
  std::int64_t stride = 1;
  for (int i = extents.count - 1; i >= 0; --i) {
    result.extents[i] = extents[i];
    result.strides[i] = stride;
    if (extents[i] > 1) stride *= extents[i];
  }
  return result;
}

// Whether the elements lie one after the other in row-major order; the stride of an axis of extent
// 1 is no matter.
constexpr bool is_contiguous(layout const& of) {
  std::int64_t expected = 1;
  for (int i = of.rank - 1; i >= 0; --i) {
    if (of.extents[i] == 0) return true;
    if (of.extents[i] > 1 && of.strides[i] != expected) return false;
    expected *= of.extents[i];
  }
  return true;
}

// Views are made for calls; what follows is of plans and messages.
TENON_ONCE_BEGIN

constexpr maybe<std::int64_t> element_count(axis_list const& extents) {
  return element_count(extents.values, extents.count);
}

[[gnu::cold, gnu::noinline]] inline text to_string(axis_list const& list) {
  text result = "[";
  for (int i = 0; i < list.count; ++i) result << (i ? ", " : "") << list[i];
  return result << ']';
}
inline text to_string(layout const& of) { return to_string(extents_of(of)); }

constexpr std::int64_t size(layout const& of) {
  maybe<std::int64_t> count = element_count(extents_of(of));
  if (!count)
    raise({.operation = "layout",
           .problem = text("extents ") << to_string(of) << " are negative or multiply beyond 64 bits",
           .remedy = "use extents from 0 on whose product is below 2^63"});
  return *count;
}

// @pre axes is a permutation of 0 .. rank-1
// @post axis i of the result is axis axes[i] of the operand
constexpr layout transposed(layout const& operand, axis_list const& axes) {
  layout result{.rank = operand.rank, .offset = operand.offset};
  for (int i = 0; i < operand.rank; ++i) {
    result.extents[i] = operand.extents[axes[i]];
    result.strides[i] = operand.strides[axes[i]];
  }
  return result;
}

// @pre operand axis k has extent 1 or result_extents[axes[k]]
// @post operand axis k is result axis axes[k]; every other axis, and a stretched one, has stride 0
constexpr layout broadcast(layout const& operand, axis_list const& axes,
                           axis_list const& result_extents) {
  layout result{.rank = result_extents.count, .offset = operand.offset};
  for (int i = 0; i < result.rank; ++i) result.extents[i] = result_extents[i];
  for (int k = 0; k < operand.rank; ++k)
    if (operand.extents[k] != 1) result.strides[axes[k]] = operand.strides[k];
  return result;
}

// @pre counts[i] is 0, or starts[i] and starts[i] + (counts[i] - 1) * steps[i] are positions of
// axis i
// @post element j of axis i is element starts[i] + j * steps[i] of the operand
constexpr layout sliced(layout const& operand, axis_list const& starts, axis_list const& steps,
                        axis_list const& counts) {
  layout result{.rank = operand.rank, .offset = operand.offset};
  bool is_empty = false;
  for (int i = 0; i < operand.rank; ++i) {
    result.extents[i] = counts[i];
    result.strides[i] = operand.strides[i] * steps[i];
    result.offset += starts[i] * operand.strides[i];
    is_empty |= counts[i] == 0;
  }
  if (is_empty) result.offset = operand.offset;  // no element: point nowhere but the start
  return result;
}

// The same elements in the same row-major order under other extents; empty when that needs a copy,
// or when the number of elements differs.
[[gnu::cold]] constexpr maybe<layout> reshaped(layout const& operand, axis_list const& extents) {
  maybe<std::int64_t> count = element_count(extents);
  if (!count || *count != size(operand)) return no_value;
  layout result = row_major(extents);
  result.offset = operand.offset;
  if (*count == 0) return result;
  // From the last axis on: gather a run of operand axes that lie as one, then cut result axes out
  // of it.
  int axis = result.rank - 1;
  for (int k = operand.rank - 1; k >= 0;) {
    std::int64_t const step = operand.strides[k];
    std::int64_t run = operand.extents[k--], taken = 1;
    if (run == 1) continue;
    while (k >= 0 && (operand.extents[k] == 1 || operand.strides[k] == step * run))
      run *= operand.extents[k--];
    for (; axis >= 0 && (taken < run || extents[axis] == 1); --axis) {
      result.strides[axis] = step * taken;
      taken *= extents[axis];
    }
    if (taken != run) return no_value;
  }
  return result;
}

// First and last offset that a layout touches; last < first when it has no elements.
struct offset_range {
  std::int64_t first = 0;
  std::int64_t last = -1;
  constexpr bool operator==(offset_range const&) const = default;
};
constexpr offset_range touched(layout const& of) {
  offset_range range{of.offset, of.offset};
  for (int i = 0; i < of.rank; ++i) {
    if (of.extents[i] == 0) return {};
    std::int64_t const span = (of.extents[i] - 1) * of.strides[i];
    (span < 0 ? range.first : range.last) += span;
  }
  return range;
}

// The same in bytes.
constexpr layout in_bytes(layout of, int element_bytes) {
  of.offset *= element_bytes;
  for (int i = 0; i < of.rank; ++i) of.strides[i] *= element_bytes;
  return of;
}
// The bytes that an array touches of each period of memory, which axes of whole periods repeat.
constexpr offset_range touched_of_period(layout bytes, int element_bytes, std::int64_t period) {
  for (int i = 0; i < bytes.rank; ++i)
    if (bytes.strides[i] % period == 0) bytes.strides[i] = 0;
  offset_range range = touched(bytes);
  range.last += element_bytes - 1;
  return range;
}

// Whether two arrays with elements lie beside each other in every period that a stride of one of
// them is: columns of one matrix, or every second element and the others. `beyond`: from element 0
// of a to that of b, in bytes. False where that is not seen.
constexpr bool lie_beside(layout const& a, int bytes_a, layout const& b, int bytes_b,
                          std::int64_t beyond) {
  layout const in_a = in_bytes(a, bytes_a), in_b = in_bytes(b, bytes_b);
  for (int i = 0; i < a.rank + b.rank; ++i) {
    std::int64_t const stride = i < a.rank ? in_a.strides[i] : in_b.strides[i - a.rank];
    std::int64_t const period = stride < 0 ? -stride : stride;
    if (period == 0) continue;
    offset_range const of_a = touched_of_period(in_a, bytes_a, period),
                       of_b = touched_of_period(in_b, bytes_b, period);
    std::int64_t const length_a = of_a.last - of_a.first + 1, length_b = of_b.last - of_b.first + 1;
    std::int64_t start = (beyond + of_b.first - of_a.first) % period;
    if (start < 0) start += period;
    if (length_a <= start && length_b <= period - start) return true;
  }
  return false;
}

// Whether two indexes may share an element. Exact for anything made of a contiguous tensor by
// permuting, slicing, flipping, reshaping and broadcasting; of other interleaved strides it may say
// true where no two meet.
constexpr bool overlaps_itself(layout const& of) {
  std::int64_t strides[max_rank] = {}, extents[max_rank] = {};
  int count = 0;
  for (int i = 0; i < of.rank; ++i) {
    if (of.extents[i] == 0) return false;
    if (of.extents[i] == 1) continue;
    std::int64_t const stride = of.strides[i] < 0 ? -of.strides[i] : of.strides[i];
    int at = count++;
    for (; at > 0 && strides[at - 1] > stride; --at) {
      strides[at] = strides[at - 1];
      extents[at] = extents[at - 1];
    }
    strides[at] = stride;
    extents[at] = of.extents[i];
  }
  std::int64_t reach = 0;  // largest offset of the axes so far: the next stride must step over it
  for (int i = 0; i < count; ++i) {
    if (strides[i] <= reach) return true;
    reach += (extents[i] - 1) * strides[i];
  }
  return false;
}

TENON_ONCE_END
}  // namespace tenon
