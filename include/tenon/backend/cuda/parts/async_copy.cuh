// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies from global to shared memory that go on while the thread does other things (cp.async, from
// compute capability 8.0 on).

namespace tenon::detail {

// Sizes of a vector that travel to shared memory by themselves; others are copied when needed.
constexpr bool can_travel_alone(int bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }
template <class T, int V>
inline constexpr bool travels_alone = can_travel_alone(static_cast<int>(sizeof(T)) * V);

#if defined(__CUDA_ARCH__)
// @pre both addresses are aligned to the size of the vector
template <class T, int V>
__device__ __forceinline__ void send_to_shared(unsigned address, T const* from) {
  if constexpr (sizeof(T) * V == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else if constexpr (sizeof(T) * V == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}
template <class T, int V> __device__ __forceinline__ void send_to_shared(void* to, T const* from) {
  send_to_shared<T, V>(static_cast<unsigned>(__cvta_generic_to_shared(to)), from);
}
__device__ __forceinline__ void wait_for_sent() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// A copy of 4, 8 or 16 bytes that goes on while the thread does other things; `to` stays as it is
// where it is not wanted.
template <int Bytes>
__device__ __forceinline__ void copy_under_way(unsigned shared, void const* from, bool is_wanted) {
  unsigned const wanted = is_wanted;
  if constexpr (Bytes == 16)
    asm volatile(
        "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %2, 0;\n\t@wanted "
        "cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n\t}" ::"r"(shared),
        "l"(from), "r"(wanted)
        : "memory");
  else
    asm volatile(
        "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %2, 0;\n\t@wanted "
        "cp.async.ca.shared.global [%0], [%1], %3;\n\t}" ::"r"(shared),
        "l"(from), "r"(wanted), "n"(Bytes)
        : "memory");
}
template <int Bytes>
__device__ __forceinline__ void copy_under_way(void* to, void const* from, bool is_wanted) {
  copy_under_way<Bytes>(static_cast<unsigned>(__cvta_generic_to_shared(to)), from, is_wanted);
}
// The same; `to` becomes 0 where it is not wanted.
template <int Bytes>
__device__ __forceinline__ void copy_or_clear(unsigned shared, void const* from, bool is_wanted) {
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(shared), "l"(from),
                 "r"(is_wanted ? 16 : 0)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared), "l"(from),
                 "r"(is_wanted ? Bytes : 0), "n"(Bytes)
                 : "memory");
}
// The first `wanted` bytes of them, of which there is one; the others become 0. They go through the
// first-level cache, because other blocks of the multiprocessor want the same.
template <int Bytes>
__device__ __forceinline__ void copy_some(unsigned shared, void const* from, int wanted) {
  int const bytes = wanted < Bytes ? wanted : Bytes;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(shared), "l"(from), "r"(bytes),
               "n"(Bytes)
               : "memory");
}
template <int Bytes>
__device__ __forceinline__ void copy_or_clear(void* to, void const* from, bool is_wanted) {
  copy_or_clear<Bytes>(static_cast<unsigned>(__cvta_generic_to_shared(to)), from, is_wanted);
}
__device__ __forceinline__ void end_of_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits for all copies but those of the latest Under_way ends.
template <int Under_way> __device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Under_way) : "memory");
}
#endif

}  // namespace tenon::detail
