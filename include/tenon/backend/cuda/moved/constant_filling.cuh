// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands for elements that are nowhere, as memory would hold it.

#include "tenon/backend/cuda/parts/vector_access.cuh"
#include "tenon/ops/indexing.hpp"
#include "tenon/program/evaluate.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A literal, or what is read at no address. What converts to a float8 on a device is no constant.
template <dtype D> inline constexpr bool has_constants = !is_float8(D);
template <class Op, dtype Of, long long Bits, dtype D>
requires has_constants<D>
inline constexpr storage_t<D> constant_filling = [] {
  if constexpr (std::is_same_v<Op, ops::fetch>)
    return storage_t<D>(missing<arithmetic_t<D>>());
  else if constexpr (is_floating(Of))
    return storage_t<D>(static_cast<arithmetic_t<D>>(floating_literal<Bits>));
  else
    return static_cast<storage_t<D>>(Bits);
}();
// The same as memory would hold it.
template <class Op, dtype Of, long long Bits, dtype D>
__device__ __forceinline__ packed<storage_t<D>, 1> packed_filling() {
  using T = storage_t<D>;
  packed<T, 1> result;
  if constexpr (!has_constants<D>) {
    arithmetic_t<D> const missing[1] = {ops::fetch::eval_as<D>(no_address)};
    result = pack<T>(missing);
  } else if constexpr (sizeof(T) == 8) {
    constexpr auto bits = __builtin_bit_cast(unsigned long long, constant_filling<Op, Of, Bits, D>);
    result.words[0] = static_cast<unsigned>(bits);
    result.words[1] = static_cast<unsigned>(bits >> 32);
  } else {
    using word =
        std::conditional_t<sizeof(T) == 4, unsigned,
                           std::conditional_t<sizeof(T) == 2, unsigned short, unsigned char>>;
    result.words[0] = __builtin_bit_cast(word, constant_filling<Op, Of, Bits, D>);
  }
  return result;
}
// The same of what instruction K of a program fetches: a choice between constants, of which
// number(k) tells what condition k is.
template <class Program, int K, dtype D, class Number>
__device__ __forceinline__ packed<storage_t<D>, 1> filling_of_fetched(Number const& number) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (I::where == place::launch || std::is_same_v<typename I::op, ops::fetch>) {
    return packed_filling<typename I::op, I::type, I::bits, D>();
  } else {
    auto result = filling_of_fetched<Program, I::third_operand, D>(number);
    auto const other = filling_of_fetched<Program, I::second_operand, D>(number);
    bool const is_other = number(std::integral_constant<int, I::first_operand>{}) != 0;
#pragma unroll
    for (int w = 0; w < static_cast<int>(sizeof(result.words) / sizeof(unsigned)); ++w)
      result.words[w] = is_other ? other.words[w] : result.words[w];
    return result;
  }
}

}  // namespace tenon::detail
#endif
