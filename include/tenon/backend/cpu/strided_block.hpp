// SPDX-License-Identifier: Apache-2.0
#pragma once
// A run of positions of an axis group, read or written through any strides → contiguous memory of
// the same elements.
//
// Because every block becomes contiguous, there is one loop to compute with, and neither the
// strides nor the way in which axes were merged changes the order of a reduction.

#include <cstring>

#include "tenon/backend/arguments.hpp"

namespace tenon::cpu_backend {

// Where position `index` of a group lies, the outermost axis first.
struct coordinate {
  long long at[max_rank];
};

// @pre 0 <= index < group.size
inline void locate(group_layout const& group, long long index, coordinate& result) {
  for (int d = group.dims - 1; d > 0; --d) {
    result.at[d] = index % group.extents[d];
    index /= group.extents[d];
  }
  result.at[0] = index;
}

inline long long offset_of(group_layout const& group, coordinate const& where,
                           long long const* strides) {
  long long offset =
      where.at[0] * strides[0];  // a group without axes has position 0 and strides of 0
  for (int d = 1; d < group.dims; ++d) offset += where.at[d] * strides[d];
  return offset;
}

// Whether position i lies at offset i, for every position of the group.
inline bool is_contiguous(group_layout const& group, long long const* strides) {
  long long expected = 1;
  for (int d = group.dims - 1; d >= 0; --d) {
    if (group.extents[d] != 1 && strides[d] != expected) return false;
    expected *= group.extents[d];
  }
  return true;
}

// Calls visit(done, offset, length) for each stretch along the innermost axis of the positions
// [begin, begin + count). One division per axis in all; from stretch to stretch the coordinates are
// counted up.
// @pre group.dims > 0
template <class Visit>
void for_each_stretch(group_layout const& group, long long const* strides, long long begin,
                      int count, Visit const& visit) {
  coordinate where;
  locate(group, begin, where);
  long long offset = offset_of(group, where, strides);
  int const inner = group.dims - 1;
  for (int done = 0; done < count;) {
    long long left = group.extents[inner] - where.at[inner];
    int length = left < count - done ? static_cast<int>(left) : count - done;
    visit(done, offset, length);
    done += length;
    offset += length * strides[inner];
    where.at[inner] += length;
    for (int d = inner; d > 0 && where.at[d] == group.extents[d]; --d) {
      offset += strides[d - 1] - group.extents[d] * strides[d];
      where.at[d] = 0;
      ++where.at[d - 1];
    }
  }
}

// Copies elements [begin, begin + count) of a strided operand to `target`.
template <class T>
void gather(group_layout const& group, long long const* strides, T const* base, long long begin,
            int count, T* target) {
  long long const stride = strides[group.dims - 1];
  for_each_stretch(group, strides, begin, count, [&](int done, long long offset, int length) {
    T const* from = base + offset;
    T* to = target + done;
    if (stride == 1)
      std::memcpy(to, from, sizeof(T) * static_cast<std::size_t>(length));
    else if (stride == 0)
      for (int i = 0; i < length; ++i) to[i] = *from;
    else
      for (int i = 0; i < length; ++i) to[i] = from[i * stride];
  });
}

// Writes the positions of elements [begin, begin + count) themselves, counted from `start`.
inline void enumerate(group_layout const& group, long long const* strides, long long start,
                      long long begin, int count, std::int64_t* target) {
  if (group.dims == 0) {
    for (int i = 0; i < count; ++i) target[i] = start;
    return;
  }
  long long const stride = strides[group.dims - 1];
  for_each_stretch(group, strides, begin, count, [&](int done, long long offset, int length) {
    for (int i = 0; i < length; ++i) target[done + i] = start + offset + i * stride;
  });
}

// The reverse: copies `source` to elements [begin, begin + count) of a strided operand.
template <class T>
void scatter(group_layout const& group, long long const* strides, T const* source, long long begin,
             int count, T* base) {
  long long const stride = strides[group.dims - 1];
  for_each_stretch(group, strides, begin, count, [&](int done, long long offset, int length) {
    for (int i = 0; i < length; ++i) base[offset + i * stride] = source[done + i];
  });
}

// The address of elements [begin, begin + count) where they lie next to each other, else null.
template <class T>
T* direct_address(group_layout const& group, long long const* strides, T* base, long long begin,
                  int count) {
  if (group.dims == 0) return base;
  int const inner = group.dims - 1;
  if (strides[inner] != 1) return nullptr;
  coordinate where;
  locate(group, begin, where);
  if (where.at[inner] + count > group.extents[inner]) return nullptr;
  return base + offset_of(group, where, strides);
}

}  // namespace tenon::cpu_backend
