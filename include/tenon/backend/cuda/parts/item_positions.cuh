// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which vectors of a tile a thread has, and how much of each is inside.

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Positions of a thread's items in a tile, in vectors: first, first + step, ... Those below `end`
// are whole; of vector `end` the first `partial` elements are inside.
template <class Index> struct item_positions {
  Index first, step, end;
  int partial = 0;

  __device__ __forceinline__ Index at(int u) const { return first + static_cast<Index>(u) * step; }
  // Those that begin with item u.
  __device__ __forceinline__ auto from(int u) const {
    auto result = *this;
    result.first = at(u);
    return result;
  }
  // Of item u from the first one, in elements; a tile has fewer than 2^31.
  template <int V> __device__ __forceinline__ unsigned offset(int u) const {
    return static_cast<unsigned>(u) * (static_cast<unsigned>(step) * V);
  }
  __device__ __forceinline__ Index rest_at() const { return end; }
  __device__ __forceinline__ bool is_whole(int u) const { return at(u) < end; }
  __device__ __forceinline__ bool is_live(int u) const { return at(u) < end + (partial != 0); }
  template <int V> __device__ __forceinline__ int count(int u) const {
    return is_whole(u) ? V : is_live(u) ? partial : 0;
  }
};
// Positions beyond `origin`, of which 32 bits hold the number.
struct far_positions : item_positions<int> {
  long long origin;

  __device__ __forceinline__ long long at(int u) const {
    return origin + item_positions<int>::at(u);
  }
  __device__ __forceinline__ long long rest_at() const { return origin + end; }
  __device__ __forceinline__ far_positions from(int u) const {
    return {item_positions<int>::from(u), origin};
  }
};
// Those of a tile of which much may be beyond the end: it is passed over.
struct rest_positions : item_positions<int> {
  static constexpr bool has_gaps = true;

  __device__ __forceinline__ rest_positions from(int u) const {
    return {item_positions<int>::from(u)};
  }
};
// Those of the same vector of columns in neighbouring rows, which are `step` apart, from `row` on.
struct neighbouring_rows : item_positions<int> {
  unsigned row, column;

  __device__ __forceinline__ neighbouring_rows from(int u) const {
    return {item_positions<int>::from(u), row + u, column};
  }
};
// Those of a tile that is all inside.
template <class Index> struct whole_positions {
  static constexpr bool has_all = true;
  Index first, step;

  __device__ __forceinline__ Index at(int u) const { return first + static_cast<Index>(u) * step; }
  __device__ __forceinline__ auto from(int u) const {
    auto result = *this;
    result.first = at(u);
    return result;
  }
  template <int V> __device__ __forceinline__ unsigned offset(int u) const {
    return static_cast<unsigned>(u) * (static_cast<unsigned>(step) * V);
  }
  __device__ __forceinline__ bool is_whole(int) const { return true; }
  __device__ __forceinline__ bool is_live(int) const { return true; }
  template <int V> __device__ __forceinline__ int count(int) const { return V; }
};

// The same of columns of one axis, whose places ascend with them, where vectors come in pieces.
struct ordered_positions : item_positions<int> {
  static constexpr bool has_one_axis = true;

  __device__ __forceinline__ ordered_positions from(int u) const {
    return {item_positions<int>::from(u)};
  }
};
struct whole_ordered_positions : whole_positions<int> {
  static constexpr bool has_one_axis = true;
  static constexpr int partial = 0;

  __device__ __forceinline__ int rest_at() const { return 0; }
  __device__ __forceinline__ whole_ordered_positions from(int u) const {
    return {whole_positions<int>::from(u)};
  }
};
template <bool IsOrdered>
using positions_inside =
    std::conditional_t<IsOrdered, whole_ordered_positions, whole_positions<int>>;
template <bool IsOrdered>
using positions_at_end = std::conditional_t<IsOrdered, ordered_positions, rest_positions>;
template <class Positions, int Dims> inline constexpr int axes_of_positions = requires {
  Positions::has_one_axis;
}
? 1 : Dims;

}  // namespace tenon::detail
#endif
