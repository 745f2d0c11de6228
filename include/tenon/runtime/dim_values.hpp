// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes of a call → the length of every dim, with the checks that could not be made while building.

#include "tenon/core/config.hpp"
#include "tenon/runtime/argument.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

class dim_values {
 public:
  // @pre inputs[k] belongs to g.inputs[k]; entries of scalars are ignored
  // @post every check of the graph holds and every input has the extents that its dims ask for
  [[gnu::cold]] dim_values(graph const& g, array_view<argument const> inputs, expression_name const& name)
      : graph_(g), inputs_(inputs), name_(name) {
    for (dim d = 0; d < g.dims.size(); ++d) values_.push_back(compute(g.dims[d]));
    for (dim_check const& c : g.checks)
      if (values_[c.a] != values_[c.b]) refuse(c);
    for (int k = 0; k < g.inputs.size(); ++k)
      for (int axis = 0; axis < g.inputs[k].dims.size(); ++axis)
        if (inputs_[k].layout.extents[axis] != (*this)[g.inputs[k].dims[axis]]) refuse_input(k, axis);
  }

  std::int64_t operator[](dim d) const { return values_[graph_.dims.representative(d)]; }

  axis_list operator()(dim_list const& dims) const {
    axis_list result;
    for (dim d : dims) result.values[result.count++] = (*this)[d];
    return result;
  }

 private:
  std::int64_t compute(dim_expression const& e) const {
    auto const value = [&](long long id) { return values_[static_cast<int>(id)]; };
    switch (e.kind) {
      case dim_kind::constant: return e.a;
      case dim_kind::input:
      case dim_kind::named: return inputs_[static_cast<std::size_t>(e.a)].layout.extents[static_cast<int>(e.b)];
      case dim_kind::slice: return detail::resolve_range(value(e.a), e.b, e.c, e.d).count;
      case dim_kind::product: return product(value(e.a), value(e.b));
      case dim_kind::sum: return sum(value(e.a), value(e.b));
      case dim_kind::quotient: return value(e.b) == 0 ? 0 : value(e.a) / value(e.b);
    }
    __builtin_unreachable();
  }
  std::int64_t product(std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) refuse_size();
    return result;
  }
  std::int64_t sum(std::int64_t a, std::int64_t b) const {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) refuse_size();
    return result;
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_size() const {
    raise({.operation = "call",
           .problem = "the number of elements is beyond 64 bits",
           .remedy = "use smaller extents"},
          name_);
  }

  // The first input that a dim's length comes from.
  int input_of(dim d) const {
    dim_expression const& e = graph_.dims[d];
    if (e.kind == dim_kind::constant) return -1;
    if (e.kind == dim_kind::input || e.kind == dim_kind::named) return static_cast<int>(e.a);
    return input_of(static_cast<dim>(e.a));
  }
  [[gnu::cold]] void describe(text& out, dim d) const {
    dim_expression const& e = graph_.dims[d];
    if (e.kind == dim_kind::constant) {
      out << "extent " << values_[d];
      return;
    }
    if (e.kind == dim_kind::input)
      out << "axis " << e.b << " of operand " << e.a;
    else
      graph_.dims.print(out, d);
    out << " (" << values_[d] << ')';
  }
  [[gnu::cold, gnu::noinline]] text shapes_of(int a, int b) const {
    text result;
    for (int k : {a, b})
      if (k >= 0) result << (result.empty() ? "" : " and ") << to_string(inputs_[static_cast<std::size_t>(k)].layout);
    return result;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse(dim_check const& c) const {
    int a = input_of(c.a), b = input_of(c.b);
    text shapes = shapes_of(a, b == a ? -1 : b), problem = "lengths differ: ";
    describe(problem, c.a);
    problem << " and ";
    describe(problem, c.b);
    problem << ", shapes " << shapes;
    raise({.operation = c.operation,
           .problem = std::move(problem),
           .remedy = "make them equal; only a build-time extent of 1 repeats",
           .shapes = std::move(shapes),
           .operand = b >= 0 ? b : a},
          name_);
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_input(int k, int axis) const {
    dim wanted = graph_.dims.representative(graph_.inputs[k].dims[axis]);
    int other = input_of(wanted);
    text shapes = shapes_of(other, k), problem = "axis ";
    problem << axis << " has extent " << inputs_[static_cast<std::size_t>(k)].layout.extents[axis] << " where ";
    graph_.dims.print(problem, wanted);
    problem << " is " << values_[wanted] << ", shapes " << shapes;
    raise({.operation = "call",
           .problem = std::move(problem),
           .remedy = "pass operands whose extents agree",
           .shapes = std::move(shapes),
           .operand = k},
          name_);
  }

  graph const& graph_;
  array_view<argument const> inputs_;
  expression_name const& name_;
  constexpr_vector<std::int64_t> values_;
};

}  // namespace tenon::detail
TENON_ONCE_END
