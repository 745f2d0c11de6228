// SPDX-License-Identifier: Apache-2.0
// canonical_order: one text for one expression, however its operands were evaluated.

#include "tenon/passes/canonical_order.hpp"

#include "tenon/capture/movement.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/trace.hpp"
#include "tenon/ir/print.hpp"
#include "tenon/passes/pipeline.hpp"

namespace tn = tenon;

namespace {

using matrix = tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn>;

struct tail_first {
  constexpr auto operator()(auto x, auto) const {
    auto tail = tn::slice(x, tn::axis<1>, tn::range<1>);
    auto head = tn::slice(x, tn::axis<1>, tn::range<0, -1>);
    return tail - head;
  }
};
struct head_first {
  constexpr auto operator()(auto x, auto) const {
    auto head = tn::slice(x, tn::axis<1>, tn::range<0, -1>);
    auto tail = tn::slice(x, tn::axis<1>, tn::range<1>);
    return tail - head;
  }
};

// Operators, operands and attributes agree; which of two equal lengths names an axis may differ.
constexpr bool are_equal_after_canonical_order() {
  auto a = tn::passes::canonical_order(tn::passes::unify_dims(tn::trace<tail_first, matrix, matrix>()));
  auto b = tn::passes::canonical_order(tn::passes::unify_dims(tn::trace<head_first, matrix, matrix>()));
  for (int id = 0; id < a.size(); ++id) {
    if (a[id].op != b[id].op || !(a[id].operands == b[id].operands)) return false;
    if (a[id].is<tn::ops::slice>() && !(a.attributes_of(a[id]) == b.attributes_of(b[id]))) return false;
  }
  return a.size() == b.size();
}
static_assert(are_equal_after_canonical_order());

// Operands stand from left to right, and every argument keeps its place, used or not.
constexpr bool first_operand_comes_first() {
  auto g = tn::passes::canonical_order(tn::trace<head_first, matrix, matrix>());
  return g[0].is<tn::ops::input>() && g[1].is<tn::ops::input>() && g[2].is<tn::ops::slice>() && g.attributes_of(g[2])[3] == 1;
}
static_assert(first_operand_comes_first());

// What no output needs is dropped, except arguments.
struct unused_value {
  constexpr auto operator()(auto x, auto) const {
    [[maybe_unused]] auto unused = tn::exp(x);
    return x + 1.0f;
  }
};
static_assert(tn::passes::canonical_order(tn::trace<unused_value, matrix, matrix>()).size() == 4);

// The graph that two phases share a value in is not walked twice: 20 doublings are 20 nodes.
struct doublings {
  constexpr auto operator()(auto x) const {
    for (int k = 0; k < 20; ++k) x = x + x;
    return x;
  }
};
static_assert(tn::passes::run(tn::trace<doublings, matrix>()).size() == 21);

}  // namespace
