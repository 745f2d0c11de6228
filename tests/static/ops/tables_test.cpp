// SPDX-License-Identifier: Apache-2.0
// The operator tables: names are unique, kinds and arities fit, every constant leads back to its
// struct.
#include "tenon/ops/tables.hpp"

#include "tenon/ops/special.hpp"

#include <type_traits>

namespace tenon {
namespace {

template <class... Op> constexpr bool leads_back(type_list<Op...>) {
  return (std::is_same_v<op_of<op_id<Op>>, Op> && ...);
}
template <class... Op> constexpr bool is_all(op_kind kind, type_list<Op...>) {
  return ((op_id<Op>->kind == kind) && ...);
}
template <class... A, class... B, class... C, class... D, class... E>
constexpr bool has_unique_names(type_list<A...>, type_list<B...>, type_list<C...>, type_list<D...>,
                                type_list<E...>) {
  op_info const* all[] = {op_id<A>..., op_id<B>..., op_id<C>..., op_id<D>..., op_id<E>...};
  for (op_info const* x : all)
    for (op_info const* y : all)
      if (x != y && (x->name == y->name || x->hash == y->hash)) return false;
  return true;
}

static_assert(leads_back(ops::source_table{}) && leads_back(ops::pointwise_table{}) &&
              leads_back(ops::reduction_table{}) && leads_back(ops::projection_table{}) &&
              leads_back(ops::movement_table{}));
static_assert(is_all(op_kind::source, ops::source_table{}) &&
              is_all(op_kind::pointwise, ops::pointwise_table{}) &&
              is_all(op_kind::reduction, ops::reduction_table{}) &&
              is_all(op_kind::projection, ops::projection_table{}) &&
              is_all(op_kind::movement, ops::movement_table{}));
static_assert(has_unique_names(ops::source_table{}, ops::pointwise_table{}, ops::reduction_table{},
                               ops::projection_table{}, ops::movement_table{}));

// The number of operands eval takes is the arity, in the operand types the dtype rule gives.
template <class Op, dtype D, std::size_t... I> constexpr bool takes(std::index_sequence<I...>) {
  return requires(arithmetic_t<Op::rule.operand(D, int{I})>... x) {
    eval_in<Op, Op::rule.result(D)>(x...);
  };
}
template <dtype D, class... Op> constexpr bool takes_its_operands(type_list<Op...>) {
  return (takes<Op, D>(std::make_index_sequence<Op::arity>{}) && ...);
}
static_assert(takes_its_operands<dtype::f32>(ops::pointwise_table{}));
static_assert(takes_its_operands<dtype::bf16>(ops::pointwise_table{}));
static_assert(takes_its_operands<dtype::f8_e4m3>(ops::pointwise_table{}));
static_assert(takes_its_operands<dtype::u64>(ops::pointwise_table{}));
static_assert(takes_its_operands<dtype::i64>(ops::pointwise_table{}));
static_assert(takes_its_operands<dtype::boolean>(ops::pointwise_table{}));

// eval returns what the rule says: the arithmetic type of the result dtype.
template <class Op, dtype D, std::size_t... I> constexpr bool returns(std::index_sequence<I...>) {
  using result =
      decltype(eval_in<Op, Op::rule.result(D)>(arithmetic_t<Op::rule.operand(D, int{I})>{}...));
  return std::is_same_v<result, arithmetic_t<Op::rule.result(D)>>;
}
template <dtype D, class... Op> constexpr bool returns_its_dtype(type_list<Op...>) {
  return (returns<Op, D>(std::make_index_sequence<Op::arity>{}) && ...);
}
static_assert(returns_its_dtype<dtype::f32>(ops::pointwise_table{}));
static_assert(returns_its_dtype<dtype::f64>(ops::pointwise_table{}));
static_assert(returns_its_dtype<dtype::i32>(ops::pointwise_table{}));
static_assert(returns_its_dtype<dtype::u8>(ops::pointwise_table{}));
static_assert(returns_its_dtype<dtype::u16>(ops::pointwise_table{}));
static_assert(returns_its_dtype<dtype::f8_e5m2>(ops::pointwise_table{}));
static_assert(returns_its_dtype<dtype::f32>(ops::special_table{}));
static_assert(returns_its_dtype<dtype::i32>(ops::special_table{}));
static_assert(is_all(op_kind::pointwise, ops::special_table{}) && leads_back(ops::special_table{}));
static_assert(returns_its_dtype<dtype::boolean>(ops::pointwise_table{}));

// A state is words of one type, so that a warp can shuffle it.
template <class T, class... Op> constexpr bool states_are_words(type_list<Op...>) {
  return ((std::is_trivially_copyable_v<typename Op::template state<T>> &&
           sizeof(typename Op::template state<T>) % sizeof(T) == 0 &&
           alignof(typename Op::template state<T>) == alignof(T)) &&
          ...);
}
static_assert(states_are_words<float>(ops::reduction_table{}) &&
              states_are_words<double>(ops::reduction_table{}));
static_assert(!ops::sum::has_state && ops::moments::has_state);

static_assert(ops::div::rule.result(dtype::i32) == dtype::f32 &&
              ops::add::rule.result(dtype::u8) == dtype::u8);
static_assert(ops::exp::rule.result(dtype::bf16) == dtype::bf16 &&
              ops::exp::rule.result(dtype::boolean) == dtype::f32);
static_assert(ops::less::rule.result(dtype::f64) == dtype::boolean);
static_assert(ops::sum::rule.result(dtype::boolean) == dtype::i64 &&
              ops::sum::rule.result(dtype::f16) == dtype::f16);
static_assert(ops::maximum_of::rule.result(dtype::i8) == dtype::i8);
static_assert(ops::any_of::rule.result(dtype::f32) == dtype::boolean);
static_assert(ops::where::rule.operand(dtype::f32, 0) == dtype::boolean);

}  // namespace
}  // namespace tenon
