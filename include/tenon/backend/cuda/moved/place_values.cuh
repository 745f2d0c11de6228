// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread has of the places that it finds: numbers and indices that lead to them, vectors
// that are there, and where each of these goes on.

#include "tenon/backend/cuda/moved/arguments.cuh"
#include "tenon/backend/cuda/parts/anywhere_access.cuh"
#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Of which half of an axis; the first where there is none.
enum class moved_part : unsigned char { first, second };

// Where an element lies: so many bytes from the beginning of an operand, if anywhere; how far the
// next of a thread's vectors is, and that of the second half.
struct moved_address {
  unsigned long long base;
  int offset, step, to_second;
  bool is_somewhere;
};
// Where a thread's present vector lies.
struct moved_cursor {
  unsigned long long at;
  int step, to_second;
  bool is_wanted;
};

// Numbers that follow from the position, for the first element of a vector.
template <class Program, moved_part Part = moved_part::first> struct moved_positions {
  static consteval bool holds(int k) {
    return moved_values<Program>::all.kinds[k] == moved_kind::number &&
           (Part == moved_part::first ||
            (half_values<Program>::is_found && half_values<Program>::all.differs[k]));
  }
  template <int K> using type = int;
};

// Indices that memory holds, each for a whole vector.
template <class Program> struct found_positions {
  static consteval bool holds(int k) {
    return moved_values<Program>::all.kinds[k] == moved_kind::found;
  }
  template <int K> using type = typename program_traits<Program>::template at<K>::value_type;
};

// V elements of type T in accesses of at most 16 bytes.
template <class T, int V> struct moved_parts {
  static constexpr int width =
      static_cast<int>(sizeof(T)) * V <= 16 ? V : 16 / static_cast<int>(sizeof(T));
  packed<T, width> at[V / width];

  // @pre i is a constant after unrolling
  __device__ __forceinline__ T element(int i) const { return element_of(at[i / width], i % width); }
};
// What is read of either half: nothing that is read of the other one, and once what is the same.
template <class Program, int V, moved_part Part = moved_part::first> struct moved_reads {
  using halves = half_values<Program>;
  template <int K>
  static constexpr bool holds =
      moved_values<Program>::template reads<K>&& halves::template other<K> < 0 &&
      !halves::template is_chosen<K> &&
      (Part == moved_part::first || (halves::is_found && !halves::template is_common<K>));
  template <int K>
  using type = moved_parts<storage_t<program_traits<Program>::template at<K>::type>, V>;
};
// What those of them reach of the next vector that may begin anywhere: bytes may not, nor what is
// wider than an access.
template <class Program, int V> struct moved_behind {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds = moved_reads<Program, V>::template holds<K> &&
                                sizeof(storage_t<at<K>::type>) > 1 &&
                                sizeof(storage_t<at<K>::type>) * V <= 16;
  template <int K> using type = vector_behind<storage_t<at<K>::type>, V>;
};
template <class Program, int V> struct moved_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_store&& at<K>::where == place::element;
  template <int K>
  using type =
      value_list<typename program_traits<Program>::template at<at<K>::first_operand>::value_type,
                 V>;
};

// What is read or written for a row.
template <class Program> struct moved_row_values {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds = (at<K>::is_load || at<K>::is_store) && at<K>::where == place::row;
};
template <class Program, int V, moved_part Part = moved_part::first> struct moved_cursors {
  template <int K>
  static constexpr bool holds =
      moved_reads<Program, V>::template holds<K> || moved_stores<Program, V>::template holds<K> ||
      moved_row_values<Program>::template holds<K>;
  template <int K> using type = moved_cursor;
};
template <class Program, int V> struct moved_cursors<Program, V, moved_part::second> {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  using halves = half_values<Program>;
  template <int K> static consteval bool has_place() {
    if constexpr (!halves::is_found)
      return false;
    else if constexpr (moved_reads<Program, V, moved_part::second>::template holds<K>)
      return halves::template differs<K>;
    else if constexpr (at<K>::is_window && at<K>::where == place::element)
      return halves::template place_differs<at<K>::second_operand>();
    else
      return false;
  }
  template <int K> static constexpr bool holds = has_place<K>();
  template <int K> using type = moved_cursor;
};

}  // namespace tenon::detail
#endif
