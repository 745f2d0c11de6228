// SPDX-License-Identifier: Apache-2.0
#pragma once
// What blocks tell each other of the parts of a strip: what each part of each row combines to →
// what comes before a part.

#include "tenon/backend/cuda/scan/block.cuh"
#include "tenon/backend/cuda/scan/strip_share.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// States of the parts of all strips in the workspace, of groups of parts and of what comes before a
// round of groups; a bit for each says whether it is there. A part combines those before it in its
// group, the groups before that in its round, and what comes before the round: at most 31 states,
// in an order that is the shape's. Whoever has the last part of a group leaves the group's, or what
// comes before the next round.
template <class Op, class Number> class strip_exchange {
 public:
  using State = typename Op::template state<Number>;
  using words = state_words<State>;

  // `rows`: of a strip. In front of what this scan has in the workspace is that of `scans_before`
  // others, of `words_before` words for each row.
  __device__ __forceinline__ strip_exchange(int strips, int parts, int rows, unsigned* workspace,
                                            int scans_before, int words_before)
      : strips_(strips),
        parts_(parts),
        groups_((parts + parts_of_group - 1) / parts_of_group),
        rounds_((groups_ + groups_of_round - 1) / groups_of_round),
        rows_(rows),
        flags_(workspace + first_slot + scans_before * flag_count()),
        states_(workspace + first_partial + number_of_round(strips, 0) * rows * words_before) {}

  __device__ __forceinline__ int flag_count() const { return strips_ * (groups_ + rounds_); }

  // Whether another block wants to know of a part by itself.
  __device__ __forceinline__ bool is_told(int part) const {
    return part + 1 < parts_ && part % parts_of_group + 1 < parts_of_group;
  }
  __device__ __forceinline__ void leave_part(int strip, int part, int row, State const& all) const {
    leave(number_of_part(strip, part), row, all);
  }
  // @pre all lanes of the warp call it behind what they left
  __device__ __forceinline__ void tell_part(int strip, int part) const {
    tell(flag_of_parts(strip, part / parts_of_group), part % parts_of_group);
  }

  // Of rows lane, lane + 32, ...: own(row) is what the part combines to; take(row, before) gets
  // what comes before it. @pre all lanes of a warp call it
  template <int RowsOfLane, class Own, class Take>
  __device__ __forceinline__ void hear(int strip, int part, Own const& own,
                                       Take const& take) const {
    int const group = part / parts_of_group, round = group / groups_of_round,
              in_group = part % parts_of_group, in_round = group % groups_of_round;
    bool const ends_group = in_group + 1 == parts_of_group && part + 1 < parts_,
               ends_round = ends_group && in_round + 1 == groups_of_round;
    State of_group[RowsOfLane];
    wait(flag_of_parts(strip, group), (1u << in_group) - 1);
    for_each_row<RowsOfLane>([&](int j, int row) {
      of_group[j] = combined(number_of_part(strip, part - in_group), in_group, row);
      if (ends_group && !ends_round)
        leave(number_of_group(strip, group), row, Op::combine(of_group[j], own(row)));
    });
    if (ends_group && !ends_round) tell(flag_of_groups(strip, round), in_round);
    wait(flag_of_groups(strip, round),
         ((1u << in_round) - 1) | (round > 0 ? 1u << groups_of_round : 0));
    for_each_row<RowsOfLane>([&](int j, int row) {
      State before = combined(number_of_group(strip, group - in_round), in_round, row);
      if (round > 0) before = Op::combine(found(number_of_round(strip, round), row), before);
      before = Op::combine(before, of_group[j]);
      if (ends_round) leave(number_of_round(strip, round + 1), row, Op::combine(before, own(row)));
      take(row, before);
    });
    if (ends_round) tell(flag_of_groups(strip, round + 1), groups_of_round);
  }

 private:
  int strips_, parts_, groups_, rounds_, rows_;
  unsigned *flags_, *states_;

  __device__ __forceinline__ unsigned* flag_of_parts(int strip, int group) const {
    return flags_ + strip * groups_ + group;
  }
  __device__ __forceinline__ unsigned* flag_of_groups(int strip, int round) const {
    return flags_ + strips_ * groups_ + strip * rounds_ + round;
  }
  __device__ __forceinline__ long long number_of_part(int strip, int part) const {
    return static_cast<long long>(strip) * parts_ + part;
  }
  __device__ __forceinline__ long long number_of_group(int strip, int group) const {
    return number_of_part(strips_, 0) + static_cast<long long>(strip) * groups_ + group;
  }
  __device__ __forceinline__ long long number_of_round(int strip, int round) const {
    return number_of_group(strips_, 0) + static_cast<long long>(strip) * rounds_ + round;
  }

  template <int RowsOfLane, class Visit>
  __device__ __forceinline__ void for_each_row(Visit const& visit) const {
#pragma unroll
    for (int j = 0; j < RowsOfLane; ++j) {
      int const row = static_cast<int>(threadIdx.x % 32) + 32 * j;
      if (row < rows_) visit(j, row);
    }
  }
  // Word by word, so that neighbouring lanes have neighbouring words.
  __device__ __forceinline__ unsigned* words_of(long long number, int row) const {
    return states_ + number * (words::count * rows_) + row;
  }
  __device__ __forceinline__ void leave(long long number, int row, State const& state) const {
    words const sent(state);
#pragma unroll
    for (int w = 0; w < words::count; ++w) __stcg(words_of(number, row) + w * rows_, sent.words[w]);
  }
  __device__ __forceinline__ State found(long long number, int row) const {
    words result;
#pragma unroll
    for (int w = 0; w < words::count; ++w)
      result.words[w] = __ldcg(words_of(number, row) + w * rows_);
    return result.state();
  }
  // What `count` states from `first` on combine to, in their order: some are under way together.
  __device__ __forceinline__ State combined(long long first, int count, int row) const {
    constexpr int at_once = words::count <= 2 ? 5 : 3;
    State result = Op::template identity<Number>();
#pragma unroll 1
    for (int begin = 0; begin < count; begin += at_once) {
      State all[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        all[k] =
            begin + k < count ? found(first + begin + k, row) : Op::template identity<Number>();
#pragma unroll
      for (int k = 0; k < at_once; ++k)
        if (begin + k < count) result = Op::combine(result, all[k]);
    }
    return result;
  }

  static __device__ __forceinline__ void tell(unsigned* flag, int bit) {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      asm volatile("red.release.gpu.global.or.b32 [%0], %1;" ::"l"(flag), "r"(1u << bit)
                   : "memory");
  }
  static __device__ __forceinline__ void wait(unsigned const* flag, unsigned wanted) {
    if (wanted == 0) return;
    if (threadIdx.x % 32 == 0) {
      unsigned now;
      do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");
      while ((now & wanted) != wanted);
    }
    __syncwarp();
  }
};

}  // namespace tenon::detail
#endif
