// SPDX-License-Identifier: Apache-2.0
// Every function on layouts against its post-condition, element by element.

#include "tenon/tensor/layout.hpp"

namespace tenon {
namespace {

// The offsets of all elements in row-major order.
struct offset_list {
  std::int64_t values[128] = {};
  std::int64_t count = 0;
  constexpr bool operator==(offset_list const&) const = default;
};

constexpr std::int64_t offset_at(layout const& of, axis_list const& index) {
  std::int64_t offset = of.offset;
  for (int i = 0; i < of.rank; ++i) offset += index[i] * of.strides[i];
  return offset;
}

constexpr axis_list index_of(axis_list const& extents, std::int64_t position) {
  axis_list index = extents;
  for (int i = extents.count - 1; i >= 0; --i) {
    index.values[i] = position % extents[i];
    position /= extents[i];
  }
  return index;
}

constexpr offset_list offsets(layout const& of) {
  offset_list list;
  list.count = size(of);
  for (std::int64_t p = 0; p < list.count; ++p)
    list.values[p] = offset_at(of, index_of(extents_of(of), p));
  return list;
}

constexpr layout reversed(layout const& of, int axis) {
  axis_list starts = extents_of(of), steps = starts;
  for (int i = 0; i < of.rank; ++i) {
    starts.values[i] = i == axis ? of.extents[i] - 1 : 0;
    steps.values[i] = i == axis ? -1 : 1;
  }
  return sliced(of, starts, steps, extents_of(of));
}

// --- element_count, size, row_major, is_contiguous
static_assert(element_count({}) == 1);
static_assert(element_count({3, 0, 5}) == 0);
static_assert(element_count({31, 33}) == 1023);
static_assert(element_count({-1, 0}) == no_value);
static_assert(element_count({1ll << 31, 1ll << 31}) == 1ll << 62);
static_assert(element_count({1ll << 32, 1ll << 31}) == no_value);
static_assert(element_count({0, 1ll << 32, 1ll << 31}) == no_value, "strides would overflow");

static_assert(row_major({}).rank == 0 && size(row_major({})) == 1 && is_contiguous(row_major({})));
static_assert(row_major({2, 3, 4}) == layout{3, {2, 3, 4}, {12, 4, 1}, 0});
static_assert(row_major({2, 1, 4}) == layout{3, {2, 1, 4}, {4, 4, 1}, 0});
static_assert(row_major({2, 0, 4}) == layout{3, {2, 0, 4}, {4, 4, 1}, 0});
static_assert(is_contiguous(row_major({7, 1, 33})));
static_assert(is_contiguous(layout{2, {1, 5}, {99, 1}, 3}),
              "the stride of an axis of extent 1 is no matter");
static_assert(is_contiguous(layout{2, {4, 0}, {99, 7}, 0}), "no elements");
static_assert(!is_contiguous(layout{2, {4, 5}, {6, 1}, 0}));
static_assert(!is_contiguous(layout{1, {5}, {-1}, 4}));
static_assert(!is_contiguous(layout{1, {5}, {0}, 0}));

// --- transposed
constexpr layout cube = row_major({2, 3, 5});
constexpr bool transposed_holds(axis_list const& axes) {
  layout const result = transposed(cube, axes);
  for (std::int64_t p = 0; p < size(result); ++p) {
    axis_list const index = index_of(extents_of(result), p);
    axis_list operand_index = index;
    for (int i = 0; i < 3; ++i) operand_index.values[axes[i]] = index[i];
    if (offset_at(result, index) != offset_at(cube, operand_index)) return false;
  }
  return true;
}
static_assert(transposed_holds({0, 1, 2}) && transposed_holds({2, 0, 1}) &&
              transposed_holds({1, 2, 0}));
static_assert(transposed_holds({2, 1, 0}) && transposed_holds({0, 2, 1}) &&
              transposed_holds({1, 0, 2}));
static_assert(transposed(cube, {0, 1, 2}) == cube);
static_assert(!is_contiguous(transposed(cube, {2, 1, 0})));
static_assert(is_contiguous(transposed(row_major({1, 5}), {1, 0})));

// --- broadcast
static_assert(broadcast(row_major({3}), {1}, {4, 3}) == layout{2, {4, 3}, {0, 1}, 0});
static_assert(broadcast(row_major({3}), {0}, {3, 4}) == layout{2, {3, 4}, {1, 0}, 0});
static_assert(broadcast(row_major({3, 1}), {0, 1}, {3, 4}) == layout{2, {3, 4}, {1, 0}, 0});
static_assert(broadcast(row_major({}), {}, {3, 4}) == layout{2, {3, 4}, {0, 0}, 0});
static_assert(broadcast(row_major({2, 3}), {1, 0}, {3, 2}) ==
              transposed(row_major({2, 3}), {1, 0}));
static_assert(broadcast(reversed(row_major({3}), 0), {1}, {2, 3}) == layout{2, {2, 3}, {0, -1}, 2});

// --- sliced
static_assert(sliced(row_major({7, 11}), {1, 2}, {2, 3}, {3, 3}) == layout{2, {3, 3}, {22, 3}, 13});
static_assert(reversed(row_major({4}), 0) == layout{1, {4}, {-1}, 3});
static_assert(reversed(reversed(cube, 1), 1) == cube);
static_assert(sliced(row_major({5}), {4}, {1}, {0}) == layout{1, {0}, {1}, 0},
              "an empty slice points at the start");

// --- reshaped: the same offsets in the same order, or nothing
constexpr bool reshape_keeps_order(layout const& operand, axis_list const& extents) {
  maybe<layout> const result = reshaped(operand, extents);
  return result && extents_of(*result) == extents && offsets(*result) == offsets(operand);
}
static_assert(reshape_keeps_order(cube, {30}) && reshape_keeps_order(cube, {6, 5}) &&
              reshape_keeps_order(cube, {2, 15}));
static_assert(reshape_keeps_order(cube, {5, 3, 2}) && reshape_keeps_order(cube, {1, 30, 1}));
static_assert(reshape_keeps_order(row_major({}), {}) && reshape_keeps_order(row_major({}), {1, 1}));
static_assert(reshape_keeps_order(row_major({1, 1}), {}));
static_assert(reshape_keeps_order(row_major({0, 3}), {3, 0, 7}));
static_assert(reshaped(row_major({0, 3}), {2}) == no_value, "another number of elements");
static_assert(reshaped(cube, {-1, 30}) == no_value);
static_assert(reshaped(transposed(cube, {2, 1, 0}), {30}) == no_value, "needs a copy");
static_assert(reshape_keeps_order(transposed(cube, {2, 0, 1}), {5, 6}),
              "the two merged axes still lie as one");
static_assert(reshape_keeps_order(transposed(row_major({4, 6}), {1, 0}), {2, 3, 4}),
              "splitting an axis is free");
static_assert(reshape_keeps_order(transposed(row_major({4, 6}), {1, 0}), {3, 2, 2, 2}));
static_assert(reshaped(transposed(row_major({4, 6}), {1, 0}), {8, 3}) == no_value);
static_assert(reshape_keeps_order(reversed(row_major({12}), 0), {3, 4}), "negative strides");
static_assert(reshape_keeps_order(sliced(row_major({24}), {1}, {2}, {12}), {2, 2, 3}));
static_assert(reshape_keeps_order(sliced(row_major({4, 8}), {0, 0}, {1, 2}, {4, 4}), {16}),
              "an even step merges");
static_assert(reshaped(sliced(row_major({4, 7}), {0, 0}, {1, 1}, {4, 4}), {16}) == no_value);
static_assert(reshape_keeps_order(broadcast(row_major({3}), {2}, {2, 2, 3}), {4, 3}),
              "stride 0 merges with itself");
static_assert(reshaped(broadcast(row_major({3}), {1}, {2, 3}), {6}) == no_value);

// --- touched
constexpr bool touched_holds(layout const& of) {
  offset_list const all = offsets(of);
  offset_range range{all.values[0], all.values[0]};
  for (std::int64_t p = 0; p < all.count; ++p) {
    if (all.values[p] < range.first) range.first = all.values[p];
    if (all.values[p] > range.last) range.last = all.values[p];
  }
  return touched(of) == range;
}
static_assert(touched_holds(row_major({})) && touched_holds(cube) &&
              touched_holds(reversed(cube, 1)));
static_assert(touched_holds(reversed(transposed(cube, {1, 2, 0}), 0)) &&
              touched_holds(broadcast(cube, {0, 1, 3}, {2, 3, 2, 5})));
static_assert(touched(row_major({3, 0})) == offset_range{0, -1});

// --- overlaps_itself: exact for what views are made of
constexpr bool overlap_is_exact(layout const& of) {
  offset_list const all = offsets(of);
  bool shares = false;
  for (std::int64_t p = 0; p < all.count; ++p)
    for (std::int64_t q = 0; q < p; ++q) shares |= all.values[p] == all.values[q];
  return overlaps_itself(of) == shares;
}
static_assert(overlap_is_exact(row_major({})) && overlap_is_exact(cube) &&
              overlap_is_exact(row_major({1, 31})));
static_assert(overlap_is_exact(transposed(cube, {1, 2, 0})) &&
              overlap_is_exact(reversed(reversed(cube, 0), 2)));
static_assert(overlap_is_exact(sliced(row_major({7, 11}), {1, 2}, {2, 3}, {3, 3})));
static_assert(overlap_is_exact(broadcast(row_major({3}), {1}, {4, 3})) &&
              overlap_is_exact(broadcast(row_major({3}), {1}, {1, 3})));
static_assert(overlap_is_exact(layout{2, {3, 3}, {1, 1}, 0}), "sliding windows");
static_assert(overlap_is_exact(layout{2, {3, 2}, {2, 2}, 0}));
static_assert(overlap_is_exact(row_major({0, 4})));
static_assert(overlaps_itself(layout{2, {2, 3}, {3, 2}, 0}),
              "may say true of interleaved strides that never meet");

// --- lie_beside: never said of arrays that have a byte in common
constexpr bool share_a_byte(layout const& a, int bytes_a, layout const& b, int bytes_b,
                            std::int64_t beyond) {
  offset_list const of_a = offsets(a), of_b = offsets(b);
  for (std::int64_t p = 0; p < of_a.count; ++p)
    for (std::int64_t q = 0; q < of_b.count; ++q) {
      std::int64_t const at_a = of_a.values[p] * bytes_a, at_b = beyond + of_b.values[q] * bytes_b;
      if (at_a < at_b + bytes_b && at_b < at_a + bytes_a) return true;
    }
  return false;
}
constexpr bool is_right_beside(layout const& a, int bytes_a, layout const& b, int bytes_b) {
  for (std::int64_t beyond = -40; beyond <= 40; ++beyond)
    if (lie_beside(a, bytes_a, b, bytes_b, beyond) && share_a_byte(a, bytes_a, b, bytes_b, beyond))
      return false;
  return true;
}
static_assert(is_right_beside(layout{2, {3, 4}, {12, 1}, 0}, 4, layout{2, {3, 4}, {12, 1}, 0}, 4));
static_assert(is_right_beside(layout{2, {2, 4}, {8, 2}, 0}, 4, layout{2, {2, 4}, {8, -2}, 6}, 4));
static_assert(is_right_beside(layout{2, {3, 2}, {5, 2}, 0}, 2, layout{2, {2, 3}, {3, 7}, 0}, 4));
static_assert(is_right_beside(layout{1, {5}, {3}, 0}, 4, layout{2, {3, 2}, {6, 0}, 0}, 8));
static_assert(is_right_beside(row_major({}), 4, layout{1, {4}, {2}, 0}, 4));
static_assert(lie_beside(layout{2, {3, 6}, {12, 1}, 0}, 4, layout{2, {3, 6}, {12, 1}, 0}, 4, 24),
              "columns");
static_assert(lie_beside(layout{1, {6}, {2}, 0}, 4, layout{1, {6}, {2}, 0}, 4, -4), "every second");
static_assert(!lie_beside(layout{2, {3, 6}, {12, 1}, 0}, 4, layout{2, {3, 6}, {12, 1}, 0}, 4, 20));

}  // namespace
}  // namespace tenon
