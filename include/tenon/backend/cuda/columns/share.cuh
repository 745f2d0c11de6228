// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the blocks share vectors of neighbouring rows and the positions that these are reduced over:
// a function of the shape alone, because the order of a sum follows from it.

#include "tenon/backend/cuda/parts/plan_base.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct columns_sharing {
  static constexpr int threads = 256;
  // Blocks that share the reductions: two for each of 132 multiprocessors, which hold them all at
  // once; a constant, so that the order of a sum does not depend on the device. H200, 65536 x 4096
  // f32: 241 us, with 528 blocks, which need a second turn, 292 us.
  static constexpr long long blocks_wanted = 264;

  // Of a call whose elements are taken one by one: what few blocks have read at once.
  static constexpr long long most_elements = 1 << 16;

  // Vectors of a tile, and slices of the positions.
  struct tile_share {
    long long lanes, slices, slice_length;
  };

  // Threads without a position would be idle.
  [[gnu::cold]] static long long widened(long long lanes, long long positions, int items) {
    while (lanes < threads && (threads / lanes / 2) * items >= positions) lanes *= 2;
    return lanes;
  }

  // Whether tiles, each of which one block has, are enough for the device though they are as wide:
  // what lies together in memory comes sooner. H200, us, means over the middle axis: 80 x 512 x
  // 1024 bf16 in 320 tiles 26.9, in 160 23.1, in 80 30.4; 256 x 196 x 1280 in 1280 40.7, in 320
  // 40.4, in 160 33.6. The widest ones not in several turns: 2048 x 256 x 256 f32 in 512 tiles 133,
  // in 1024 125.
  static constexpr long long least_tiles = 160;
  [[gnu::cold]] static bool leaves_enough(long long tiles, long long lanes) {
    return lanes <= threads && tiles >= least_tiles &&
           (lanes <= threads / 2 || tiles <= blocks_wanted);
  }

  // The last tile.
  [[gnu::cold]] static bool is_mostly_empty(long long lanes, long long vectors) {
    return divide_up(vectors, lanes) * lanes - vectors > lanes / 4;
  }

  // Rows of a tile whose elements are taken one by one, and threads that share each of them: the
  // rows of a warp are neighbours, and as few warps as it takes share their positions, `items` of
  // each thread at most. No lanes: they are too many, or so few of each row (`few`) that a thread
  // has them as vectors. H200, us, against eight warps: 64 x 7 f32 1.02 (1.26), 16 x 100 1.08
  // (1.30), 64 x 1024 1.55 (1.69), 16 x 4096 1.52 (1.75), 64 x 7 bf16 1.10 (1.36).
  struct element_share {
    long long lanes, height;
  };
  [[gnu::cold]] static element_share share_elements(long long rows, long long positions, int items,
                                                    long long few) {
    if (rows == 0 || positions <= few || rows > most_elements / positions) return {0, 0};
    auto const fit = [&](long long lanes) { return positions * lanes <= items * threads; };
    long long lanes = 32;
    while (lanes / 2 >= rows) lanes /= 2;
    long long const least = rows <= 8 ? 1 : 4;
    while (lanes > least && !fit(lanes)) lanes /= 2;
    while (divide_up(rows, lanes) > blocks_wanted / 2 && 2 * lanes <= threads && fit(2 * lanes))
      lanes *= 2;
    if (!fit(lanes)) return {0, 0};
    long long height = 1;
    while (height * items < positions) height *= 2;
    while (lanes * height < 32) lanes *= 2;
    return {lanes, height};
  }

  // @pre vectors and positions are above 0
  [[gnu::cold]] static tile_share share_slices(long long vectors, long long positions, int items,
                                               int few, int blocks_held) {
    long long lanes = lanes_of_few(vectors, positions, few);
    if (lanes == 0) lanes = lanes_of_one_slice(vectors, positions, items, few, blocks_held);
    if (lanes > 0) return {lanes, 1, positions};
    lanes = 1;
    while (lanes < 32 && lanes < vectors) lanes *= 2;
    lanes = widened(narrowed(lanes, vectors, positions, items), positions, items);
    while (leaves_enough(divide_up(vectors, 2 * lanes), 2 * lanes)) lanes *= 2;
    long long const tiles = divide_up(vectors, lanes);
    long long step = threads / lanes * items;
    // Few positions of a thread, where blocks would otherwise be few. H200, 65536 x 3 bf16 3.5 us
    // instead of 4.2, 4096 x 33 3.4 instead of 4.2; of more, 4096 x 500, 6.0 instead of 5.2.
    if (few > 0 && positions * vectors <= 1 << 16 &&
        tiles * divide_up(positions, step) <= blocks_wanted / 2)
      step = threads / lanes * few;
    long long slices = 1;
    if (tiles < ticket_count)
      slices = clamped(blocks_wanted / tiles, 1, divide_up(positions, step));
    long long const length = divide_up(divide_up(positions, slices), step) * step;
    return {lanes, divide_up(positions, length), length};
  }

 private:
  // Few positions of a thread: one thread has all of a vector, or tiles are narrow. 0: they would
  // be more than the device holds at once.
  [[gnu::cold]] static long long lanes_of_few(long long vectors, long long positions, int few) {
    if (positions <= few) return threads;
    auto const are_few = [&](long long lanes) { return positions * lanes <= few * threads; };
    auto const tiles = [&](long long lanes) { return divide_up(vectors, lanes); };
    constexpr long long most_tiles = blocks_wanted / 2;
    long long lanes = 8;
    while (lanes > 1 && !are_few(lanes)) lanes /= 2;
    while (tiles(lanes) > most_tiles && are_few(2 * lanes)) lanes *= 2;
    return are_few(lanes) && tiles(lanes) <= most_tiles ? lanes : 0;
  }

  // Nobody waits for another block where each has all positions: if they are few for a thread, or
  // the tiles enough for the device. 0: they are neither.
  [[gnu::cold]] static long long lanes_of_one_slice(long long vectors, long long positions,
                                                    int items, int few, int blocks_held) {
    constexpr long long few_tiles = blocks_wanted / 2;
    long long const most_tiles = few_tiles * blocks_held;
    long long lanes = vectors <= 32 ? 2 : 4;
    // Halves whose positions are all under way together in narrower tiles, where these are not
    // many: what comes in pieces takes much longer in two rounds. H200, us, 1000 x 500 bf16 3.47
    // (4.98), 1000 x 1023 4.13 (5.20), misaligned 1000 x 1000 4.31 (5.72), 1000 x 768 3.27 (3.22),
    // but 1000 x 2048, 128 blocks, 4.52 (4.06), 2000 x 500, two rounds, 4.95 (4.51).
    auto const is_one_round = [&](long long lanes) { return positions * lanes <= items * threads; };
    if (few == 2 && vectors <= few_tiles && !is_one_round(4) && is_one_round(2)) lanes = 2;
    while (lanes < threads && divide_up(vectors, lanes) > most_tiles) lanes *= 2;
    lanes = widened(lanes, positions, items);
    auto const steps = [&] { return divide_up(positions * lanes, threads); };
    if (steps() <= 2 * items) return lanes;
    if (lanes < 8) lanes = 8;
    return divide_up(vectors, lanes) >= few_tiles && steps() <= 8 * items ? lanes : 0;
  }

  // Vectors of a tile where slices are combined: of narrower tiles there are fewer slices, and one
  // block has less to combine. 8 vectors are 128 bytes, a cache line of each position; 4 are enough
  // where one slice then does, and where many slices have little each. A last tile that is mostly
  // empty would leave multiprocessors without work, unless it is the second of two.
  // H200, f32: 65536 x 64 9.2 us instead of 11.3, 65536 x 128 11.7 instead of 17.8. With
  // 4, bf16: 65536 x 64 7.1 us instead of 8.4, but 1048576 x 64 38.0 instead of 36.3, f32 81
  // instead of 64.
  [[gnu::cold]] static long long narrowed(long long lanes, long long vectors, long long positions,
                                          int items) {
    // Twice that where positions are many and a tile is not all there is. H200, 1048576 x 128 + 1
    // f32 130 us instead of 165, 65536 x 128 + 1 bf16 9.1 instead of 10.9; 65536 x 64 bf16 6.2
    // (5.7), 1000000 x 64 f32 60.6 (60.1).
    bool const is_wide =
        positions >= 1 << 14 && (vectors >= 32 || (vectors >= 16 && positions <= 1 << 17));
    long long const line = is_wide ? 16 : 8, half = line / 2;
    auto const needs_slices = [&] { return positions > threads / lanes * items; };
    bool const one_slice_does =
        positions <= threads / half * items && vectors <= half * blocks_wanted;
    while (lanes > half && one_slice_does && needs_slices()) lanes /= 2;
    bool const is_little = positions * vectors <= 1 << 21,
               has_many_slices = positions >= 64 * (threads / line * items);
    long long const least = is_little && has_many_slices ? half : line;
    while (lanes > least && lanes * lanes > (needs_slices() ? 2 : 8) * vectors &&
           (vectors <= lanes || !is_mostly_empty(lanes / 2, vectors)))
      lanes /= 2;
    return lanes;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
