// SPDX-License-Identifier: Apache-2.0
// What the types of tensors and views promise: constructors, conversions, and the extents they
// carry.

#include "tenon/tensor/tensor.hpp"

#include <type_traits>
#include <vector>

namespace tenon {
namespace {

using named = cpu::tensor<float, "B", dyn, 512>;
static_assert(named::rank == 3 && named::run_time_rank == 2);
static_assert(named::static_extents[0] == extent("B") && named::static_extents[2] == extent(512));
static_assert(std::is_same_v<named, basic_tensor<cpu, float, "B", dyn, 512>>);
static_assert(std::is_same_v<tensor<float>, cpu::tensor<float>>,
              "a plain C++ compiler computes on the host");
static_assert(cpu::tensor<float>::rank == 0);

// Move-only, and never made from an extent by accident.
static_assert(std::is_nothrow_move_constructible_v<named> &&
              std::is_nothrow_move_assignable_v<named>);
static_assert(!std::is_copy_constructible_v<named> && !std::is_copy_assignable_v<named>);
static_assert(std::is_default_constructible_v<cpu::tensor<float>>);
static_assert(!std::is_convertible_v<int, cpu::tensor<float, dyn>>);

// A view converts to one that may do less or says less; the other way has to be written.
template <class From, class To> constexpr bool converts = std::is_convertible_v<From, To>;
template <class From, class To>
constexpr bool only_explicitly =
    std::is_constructible_v<To, From> && !std::is_convertible_v<From, To>;

static_assert(converts<cpu::view<float, 3, 4>, cpu::view<float const, 3, 4>>);
static_assert(converts<cpu::view<float, 3, "B">, cpu::view<float const, dyn, dyn>>);
static_assert(only_explicitly<cpu::view<float, dyn>, cpu::view<float, 3>>);
static_assert(only_explicitly<cpu::view<float, dyn>, cpu::view<float, "B">>);
static_assert(only_explicitly<cpu::view<float, "T">, cpu::view<float, "B">>,
              "names must not be mixed up");
static_assert(!std::is_constructible_v<cpu::view<float, 3>, cpu::view<float const, 3>>);
static_assert(!std::is_constructible_v<cpu::view<float, dyn>, cpu::view<double, dyn>>);
static_assert(!std::is_constructible_v<cpu::view<float, dyn>, cuda::view<float, dyn>>);
static_assert(!std::is_constructible_v<cpu::view<float, dyn>, cpu::view<float, dyn, dyn>>);

static_assert(converts<named&, cpu::view<float, "B", dyn, 512>>);
static_assert(converts<named const&, cpu::view<float const, "B", dyn, 512>>);
static_assert(!converts<named const&, cpu::view<float, "B", dyn, 512>>);
static_assert(converts<std::vector<float>&, cpu::view<float, dyn>>);
static_assert(converts<std::vector<float> const&, cpu::view<float const, dyn>>);
static_assert(!std::is_constructible_v<cpu::view<float, dyn>, std::vector<float> const&>);
static_assert(!std::is_constructible_v<cuda::view<float, dyn>, std::vector<float>&>,
              "a vector is not device memory");

// A permutation moves the names; a slice makes its axis a run-time one.
using view_of_named = named::view_type;
static_assert(std::is_same_v<decltype(std::declval<view_of_named>().permuted<2, 0, 1>()),
                             cpu::view<float, 512, "B", dyn>>);
static_assert(std::is_same_v<decltype(std::declval<view_of_named>().sliced<-1>(0, 9, 3)),
                             cpu::view<float, "B", dyn, dyn>>);

// A view is small enough to be passed around, and plain.
static_assert(std::is_trivially_copyable_v<view_of_named>);
static_assert(sizeof(view_of_named) == sizeof(float*) + 6 * sizeof(std::int64_t));

// CUDA's half types need no definition here.
static_assert(sizeof(cpu::view<__nv_bfloat16, dyn>) == 24);

}  // namespace
}  // namespace tenon
