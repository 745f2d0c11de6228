// SPDX-License-Identifier: Apache-2.0
#pragma once
// The tiles of a team's share in the order of a pass, asked for a fixed number of tiles ahead: they
// come into shared memory while earlier ones are computed, from segment to segment and row to row.

#include "tenon/backend/cuda/grid/arguments.cuh"
#include "tenon/backend/cuda/rows/kept_tiles.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

__device__ __forceinline__ long long row_of(long long unit, int segments) {
  // There are 2^10 vectors for each of several segments of a row: 32 bits hold their number.
  return segments == 1 ? unit : static_cast<unsigned>(unit) / static_cast<unsigned>(segments);
}

// The tiles of a segment: every so many-th of the row, so that blocks who work side by side read
// neighbouring tiles (H200, two operands and a result: 4.1 TB/s against 3.8 with a stretch for
// each). Index: long long, or int where the columns are runs of vectors.
template <class Index> struct segment_tiles {
  Index segment, segments, step, vectors, whole;
  int tail;

  template <class Arguments>
  __device__ __forceinline__ segment_tiles(Arguments const& a, int segment_number, int lanes,
                                           int items)
      : segment(segment_number),
        segments(a.grid.segments),
        step(static_cast<Index>(lanes) * items),
        vectors(static_cast<Index>(a.vectors)),
        whole(vectors - (a.tail != 0)),
        tail(a.tail) {}

  __device__ __forceinline__ Index first(int tile) const {
    return (tile * segments + segment) * step;
  }
  __device__ __forceinline__ bool is_live(int tile) const { return first(tile) < vectors; }
  __device__ __forceinline__ item_positions<Index> positions(int tile, int lane, int lanes) const {
    return {first(tile) + lane, static_cast<Index>(lanes), whole, tail};
  }
};

template <class Program, class C, int Phase> class tile_requests {
  static constexpr int v = C::vector_width, items = C::items;
  using kept_type = kept_tiles<Program, v, items, C::threads_per_block>;
  using here = loads_by_keeping<Program, v, items, Phase, true>;
  static constexpr int ahead = kept_type::tiles_under_way;
  static constexpr bool is_forwards = Phase % 2 == 1;
  using arguments = grid_arguments<Program>;

 public:
  __device__ __forceinline__ tile_requests(arguments const& a, kept_type const& kept,
                                           long long begin, long long end, int lane, int lanes)
      : a_(a),
        kept_(kept),
        begin_(begin),
        units_(static_cast<int>(end - begin)),
        lane_(lane),
        lanes_(lanes) {}

  // @pre the pass has not begun
  __device__ __forceinline__ void start() {
    if constexpr (has_selected<Program, here>) {
      unit_ = is_forwards ? 0 : units_ - 1;
      row_ = row_of(begin_ + unit_, a_.grid.segments);
      segment_ = static_cast<int>(begin_ + unit_ - row_ * a_.grid.segments);
      tile_ = is_forwards ? 0 : a_.grid.tiles_per_segment - 1;
#pragma unroll 1
      for (int k = 0; k < ahead; ++k) next();
    }
  }
  // The tile that is asked for next takes the place of the one just read. @pre all are read in the
  // order of the pass
  __device__ __forceinline__ void next() {
    if (is_forwards ? unit_ < units_ : unit_ >= 0) {
      int const number = unit_ * a_.grid.tiles_per_segment + tile_;
      if (!is_there(number)) ask(number);
      if (is_forwards ? ++tile_ == a_.grid.tiles_per_segment : tile_-- == 0) {
        next_unit();
        tile_ = is_forwards ? 0 : a_.grid.tiles_per_segment - 1;
      }
    }
    end_of_copies();
  }
  // @post the next tile in the order of the pass is there
  __device__ __forceinline__ void await() const { wait_for_copies<ahead - 1>(); }
  __device__ __forceinline__ int slot_of(int number) const {
    int const beyond = number - a_.grid.kept_tiles;
    return beyond < 0 ? number : a_.grid.kept_tiles + (beyond & (ahead - 1));
  }

 private:
  arguments const& a_;
  kept_type const& kept_;
  long long begin_;
  int units_, lane_, lanes_;
  int unit_ = 0, tile_ = 0;  // of the share, and of the unit
  long long row_ = 0;
  int segment_ = 0;            // of the row, which the unit is
  bool is_row_found_ = false;  // whether the offsets are the row's
  operand_offsets<Program> offsets_;

  __device__ __forceinline__ void next_unit() {
    unit_ += is_forwards ? 1 : -1;
    if (is_forwards ? ++segment_ < a_.grid.segments : segment_-- > 0) return;
    row_ += is_forwards ? 1 : -1;
    is_row_found_ = false;
    segment_ = is_forwards ? 0 : a_.grid.segments - 1;
  }

  __device__ __forceinline__ bool is_there(int number) const {
    if (Phase == sweeps<Program>::first) return false;
    if (number < a_.grid.kept_tiles) return true;
    if constexpr (!sweep_before<Program, Phase>::is_in_ring) return false;
    if (is_forwards) return number < a_.grid.kept_tiles + ahead;
    return number >= units_ * a_.grid.tiles_per_segment - ahead;
  }
  __device__ __forceinline__ void ask(int number) {
    if (!is_row_found_) find_row<Program>(offsets_, a_, row_);
    is_row_found_ = true;
    auto const positions =
        segment_tiles<int>(a_, segment_, lanes_, items).positions(tile_, lane_, lanes_);
    kept_.template request<here>(slot_of(number), a_, offsets_, positions);
  }
};

}  // namespace tenon::detail
#endif
