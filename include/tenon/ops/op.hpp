// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an operator is: one struct per operator, described to the passes by one constant `op_info`.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "tenon/core/dtype.hpp"
#include "tenon/core/text_view.hpp"

namespace tenon {

class graph;
struct node;

enum class op_kind : unsigned char {
  source,      // input, literal, size, index: no operands
  pointwise,   // result element = eval(operand elements)
  reduction,   // result element = finish(combine over the reduced axes of lift(operand elements))
  projection,  // reads one member of a reduction's state; otherwise like pointwise
  scan,        // result element = finish(combine of lift(operand elements up to it along one axis))
  movement,    // result element = one operand element, elsewhere
};

// Which dtypes an operator computes in, from the promoted dtype of its operands.
struct dtype_rule {
  dtype (*operand)(dtype promoted, int position);  // dtype that operand `position` is cast to
  dtype (*result)(dtype promoted);
  int first_promoted = 0;  // operands before this position do not take part in promotion
};

namespace rules {
constexpr dtype keep(dtype d) { return d; }
constexpr dtype keep_operand(dtype d, int) { return d; }
constexpr dtype floating(dtype d) { return is_floating(d) ? d : default_float; }
constexpr dtype floating_operand(dtype d, int) { return floating(d); }
constexpr dtype boolean(dtype) { return dtype::boolean; }
constexpr dtype boolean_operand(dtype, int) { return dtype::boolean; }
constexpr dtype widened(dtype d) { return is_floating(d) ? d : dtype::i64; }
constexpr dtype widened_operand(dtype d, int) { return widened(d); }
constexpr dtype condition_operand(dtype d, int position) { return position == 0 ? dtype::boolean : d; }

inline constexpr dtype_rule same{keep_operand, keep};                    // add: i32 + i32 = i32
inline constexpr dtype_rule to_float{floating_operand, floating};        // exp: i32 -> f32
inline constexpr dtype_rule compare{keep_operand, boolean};              // less: f32 < f32 = bool
inline constexpr dtype_rule logical{boolean_operand, boolean};           // logical_and
inline constexpr dtype_rule select{condition_operand, keep, 1};          // where(bool, x, y)
inline constexpr dtype_rule accumulate{widened_operand, widened};        // sum: i32 -> i64
}  // namespace rules

// What the passes and the reports know of an operator. One constant per operator; its address is the operator's identity.
struct op_info {
  text_view name;
  op_kind kind = op_kind::pointwise;
  int arity = 0;
  dtype_rule rule = rules::same;
  bool is_commutative = false;
  int cost = 1;  // instruction issue slots per element in f32, as compiled for sm_90
  // Evaluates the operator on literals whose dtype is d; null where eval is not usable in constant evaluation. The
  // node stays where is_folded(result) is false: the result is not finite or not exact, or an operand is not finite.
  double (*fold)(dtype d, double const* operands) = nullptr;
  bool merges_with_itself = false;  // reduction: reducing its results again is reducing everything at once
  bool has_state = false;           // the result is a struct that only projections, and reductions of it, read
  bool is_defined_on_empty = true;  // reduction: of no elements it is its identity; otherwise an error
  bool is_sort = false;             // scan: each element of the result may be any of the axis
  bool is_search = false;           // pointwise: its first operand is read from its address on
  op_info const* of_one[2] = {};  // scan: what it is along an axis of one element; [1]: when it leaves that out
  unsigned hash = 0;  // of the name: an address cannot be hashed in constant evaluation
};

constexpr bool is_folded(double result) { return result < std::numeric_limits<double>::infinity(); }

template <class Op>
constexpr op_info describe();

template <class Op>
inline constexpr op_info op_info_of = describe<Op>();

namespace ops {
template <class Scan, bool IsExclusive>
struct scan_of_one;
}

// From the constant back to the struct: reification needs the type of a node's operator. The friend is declared here
// and defined by registered_op<Op>, so that an operator of the user's has the same standing as ours.
template <class T>
struct type_box {
  using type = T;
};
#if defined(__CUDACC__)
#pragma nv_diag_suppress 1301
#endif
#if defined(__GNUC__) && !defined(__clang__)  // nvcc's host compiler warns too
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
#endif
template <op_info const* Info>
struct op_key {
  friend constexpr auto tenon_registered_op(op_key);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
template <class Op>
struct registered_op {
  friend constexpr auto tenon_registered_op(op_key<&op_info_of<Op>>) { return type_box<Op>{}; }
  static constexpr op_info const* info = &op_info_of<Op>;
};

// The identity of an operator; naming it registers the operator.
template <class Op>
inline constexpr op_info const* op_id = registered_op<Op>::info;

template <op_info const* Info>
using op_of = typename decltype(tenon_registered_op(op_key<Info>{}))::type;

// Where an operator is defined and tested; both ends are reachable in the operator's own rounding.
struct interval {
  double low, high;
};
inline constexpr interval all_reals{-1e30, 1e30};

// Base of the operator structs: the defaults. An operator overrides what differs.
template <op_kind Kind, int Arity>
struct basic_op {
  static constexpr op_kind kind = Kind;
  static constexpr int arity = Arity;
  static constexpr dtype_rule rule = rules::same;
  static constexpr bool is_commutative = false;
  static constexpr bool is_foldable = false;
  static constexpr bool has_state = false;
  static constexpr bool merges_with_itself = false;
  static constexpr bool is_defined_on_empty = true;
  static constexpr bool is_sort = false;
  static constexpr bool is_search = false;
  static constexpr bool is_locally_constant = false;  // the derivative is zero: floor, sign
  static constexpr bool is_differentiable = true;     // false: there is no rule for the derivative
  static constexpr bool makes_zeros = false;    // of many operands the result is 0: relu
  static constexpr unsigned zeros_through = 0;  // bit k: what is often 0 as operand k is so as the result
  // In f32 it asks each number whether it is 0, subnormal, infinite or NaN, and has a shorter form for what is none.
  static constexpr bool asks_for_sizes = false;
  static constexpr int cost = 1;
  static constexpr interval domain = all_reals;
  static constexpr double tolerance_ulp = 4;  // largest error in f32 and f64, in units of the last place
};
template <int Arity>
using pointwise_op = basic_op<op_kind::pointwise, Arity>;
template <int Arity = 1>
using reduction_op = basic_op<op_kind::reduction, Arity>;
using projection_op = basic_op<op_kind::projection, 1>;

namespace detail {

// "Keep the node": constant evaluation refuses overflow and invalid operations. Not NaN, because nvcc 13.0 refuses to
// compare NaN in constant evaluation.
inline constexpr double not_folded = std::numeric_limits<double>::infinity();

constexpr bool is_within(double const* operands, int count, double bound) {
  for (int i = 0; i < count; ++i)
    if (!(operands[i] >= -bound && operands[i] <= bound)) return false;
  return true;
}
constexpr double largest_integer = 9007199254740992.0;  // 2^53: a literal is held as a double
// Whether the operator may be evaluated on these operands.
constexpr bool are_foldable(dtype d, double const* operands, int count) {
  if (!is_floating(d)) return is_within(operands, count, largest_integer);
  // double has the exponent range that shows an overflow of float without committing it.
  if (d != dtype::f64) return is_within(operands, count, std::numeric_limits<float>::max());
  // Nothing portable has a wider range than double, so only numbers whose products and quotients cannot leave it.
  for (int i = 0; i < count; ++i) {
    double magnitude = operands[i] < 0 ? -operands[i] : operands[i];
    if (!(magnitude == 0 || (magnitude >= 1e-150 && magnitude <= 1e150))) return false;
  }
  return true;
}
constexpr long long wrap(dtype d, long long value) {
  switch (d) {
    case dtype::boolean: return value != 0;
    case dtype::u8: return static_cast<std::uint8_t>(value);
    case dtype::i8: return static_cast<std::int8_t>(value);
    case dtype::u16: return static_cast<std::uint16_t>(value);
    case dtype::i16: return static_cast<std::int16_t>(value);
    case dtype::u32: return static_cast<std::uint32_t>(value);
    case dtype::i32: return static_cast<std::int32_t>(value);
    default: return value;
  }
}
constexpr double folded_integer(dtype d, long long value) {
  double const result = static_cast<double>(wrap(d, value));
  if (d == dtype::u64 && result < 0) return not_folded;  // wraps to a number that a double does not hold
  return is_within(&result, 1, largest_integer) ? result : not_folded;
}
// K: the positions of the operands. One function an operator, and not one more for each type that it is evaluated on.
template <class Op, int... K>
constexpr double fold(dtype d, double const* x) {
  if (!are_foldable(d, x, Op::arity)) return not_folded;
  if (!is_floating(d)) return folded_integer(d, static_cast<long long>(Op::eval(static_cast<long long>(x[K])...)));
  double const exact = static_cast<double>(Op::eval(x[K]...));
  double const bound = d == dtype::f64 ? std::numeric_limits<double>::max() : static_cast<double>(std::numeric_limits<float>::max());
  if (!is_within(&exact, 1, bound)) return not_folded;
  return d == dtype::f64 ? exact : static_cast<double>(Op::eval(static_cast<float>(x[K])...));
}
constexpr unsigned hash_of(text_view name) {
  unsigned hash = 2166136261u;  // FNV-1a
  for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}
}  // namespace detail

// All at once: where the members are assigned, nvcc's front end works a third more on each operator.
template <class Op>
constexpr op_info describe() {
  op_info result{.name = Op::name,
                 .kind = Op::kind,
                 .arity = Op::arity,
                 .rule = Op::rule,
                 .is_commutative = Op::is_commutative,
                 .cost = Op::cost,
                 .merges_with_itself = Op::merges_with_itself,
                 .has_state = Op::has_state,
                 .is_defined_on_empty = Op::is_defined_on_empty,
                 .is_sort = Op::is_sort,
                 .is_search = Op::is_search,
                 .hash = detail::hash_of(Op::name)};
  if constexpr (Op::is_foldable) {
    static_assert(Op::arity >= 1 && Op::arity <= 3);
    if constexpr (Op::arity == 1)
      result.fold = detail::fold<Op, 0>;
    else if constexpr (Op::arity == 2)
      result.fold = detail::fold<Op, 0, 1>;
    else
      result.fold = detail::fold<Op, 0, 1, 2>;
  }
  if constexpr (Op::kind == op_kind::scan && !Op::is_sort) {
    result.of_one[0] = op_id<ops::scan_of_one<Op, false>>;
    result.of_one[1] = op_id<ops::scan_of_one<Op, true>>;
  }
  return result;
}

}  // namespace tenon
