// SPDX-License-Identifier: Apache-2.0
#pragma once
// All runs of a row that a warp has, one item after the other: asked for by words, and written by
// memory's own aligned vectors.

#include "tenon/backend/cuda/parts/shared_runs.cuh"
#include "tenon/backend/cuda/parts/warp_stage.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class T, int V> struct warp_runs : staged_vectors<T, V> {
  using base = staged_vectors<T, V>;
  using base::beyond, base::bytes, base::has_parts, base::size, base::words;

  // Asks for the runs of the row at `from` that the warp has, each `stride` behind the one before;
  // what is not of the row becomes anything.
  static __device__ __forceinline__ void bring_runs(unsigned slot, int stride, T const* from,
                                                    staged_positions const& where) {
    int const in_front = beyond(from), by = where.step * bytes;
    // Of this run: its first word, and bytes of the row from there on.
    auto const* run =
        reinterpret_cast<unsigned char const*>(from + where.template begin<V>(0)) - in_front;
    int left = (where.size - where.template begin<V>(0)) * size + in_front;
#pragma unroll 1
    for (int u = 0; where.is_live(u); ++u, left -= by, run += by, slot += stride) {
      bool const has_rest = has_parts && in_front > 0;
      if (where.lanes == 32)
        bring_run<128>(slot, run, left, where.lane * 4, has_rest && where.lane == 0);
      else
        bring_run<4>(slot, run, left, where.lane * bytes,
                     has_rest && where.lane + 1 == where.lanes);
      // The word that the row ends in.
      int const last = left & ~3;
      if (has_parts && where.lane == 0 && left > last && left > in_front &&
          last <= bytes * where.lanes)
        put_part<T>(slot + last, run + last, left - last);
    }
  }
  // Writes whole runs. -> how many
  static __device__ __forceinline__ int send_runs(unsigned slot, int stride, T* row,
                                                  staged_positions const& where) {
    // Where a lane's vector and its element go is the same in each run.
    int const by = where.step * V;
    T* run = row + where.template begin<V>(0);
    int left = where.size - where.template begin<V>(0), u = 0;
    int const head = -static_cast<int>(reinterpret_cast<std::uintptr_t>(run) / size) & (V - 1),
              place = where.lane < head ? where.lane : 31 * V + where.lane,
              first = head + where.lane * V;
    bool const has_vector = where.lane < 31 || head == 0, has_element = head > 0 && where.lane < V;
#pragma unroll 1
    for (; where.is_live(u) && left >= 32 * V; ++u, left -= by, run += by, slot += stride) {
      unsigned const mine = slot + first * size;
      if (has_vector)
        store_packed(run + first,
                     load_run<T, V>(mine - mine % run_unit<T, V>, mine % run_unit<T, V>));
      if (has_element) {
        packed<T, 1> one;
        load_shared(one, slot + place * size);
        store_packed(run + place, one);
      }
    }
    return u;
  }

 private:
  // Those words of a run that are `place`, `place` + Step, ... bytes behind its first; has_rest:
  // one more.
  template <int Step>
  static __device__ __forceinline__ void bring_run(unsigned slot, unsigned char const* run,
                                                   int left, int place, bool has_rest) {
#pragma unroll
    for (int i = 0; i < words + has_parts; ++i)
      copy_under_way<4>(slot + place + i * Step, run + place + i * Step,
                        (i < words || has_rest) && left - place >= i * Step + 4);
  }
};

}  // namespace tenon::detail
#endif
