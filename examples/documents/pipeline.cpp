// SPDX-License-Identifier: Apache-2.0
// docs/pipeline.md: one expression after every stage of its way, printed by the stages themselves.

#include "document.hpp"

#include <tenon/tenon.hpp>

namespace tn = tenon;

namespace {

struct expression {
  constexpr auto operator()(auto x, auto y) const {
    auto c = tn::relu((x + y) * 2.0f);
    return tn::mean(tn::sum(c, tn::axis<1>));
  }
};
char const* const written = R"(auto f = tn::compile([](auto x, auto y) {
  auto c = tn::relu((x + y) * 2.0f);
  return tn::mean(tn::sum(c, tn::axis<1>));
});
tn::tensor<float, tn::dyn, tn::dyn> x(1000, 1000), y(1000, 1000);
tn::tensor<float> m = f(x, y);
)";
using matrix = tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn>;

std::string str(tn::text const& t) { return std::string(t.view()); }

std::string passes_text(tn::graph const& traced) {
  std::string out, unchanged;
  tn::text before = tn::print(traced);
  tn::passes::run(traced, [&](std::string_view pass, tn::graph const& g) {
    tn::text after = tn::print(g);
    if (after == before) {
      unchanged += (unchanged.empty() ? "`" : ", `") + std::string(pass) + '`';
    } else {
      out += "After `" + std::string(pass) + "`:\n\n" + document::block(str(after));
    }
    before = after;
  });
  return out + "Nothing to do here for: " + unchanged + ".\n\n";
}

std::string axes_of(unsigned mask) {
  std::string out;
  for (int axis = 0; mask >> axis; ++axis)
    if (mask >> axis & 1u) out += (out.empty() ? "" : " ") + std::to_string(axis);
  return '{' + out + '}';
}

std::string space_text(tn::description const& d) {
  std::string out = "axes";
  for (int axis = 0; axis < d.space.axes.size(); ++axis) {
    tn::text length;
    d.final.dims.print(length, d.space.axes[axis]);
    out += "  " + std::to_string(axis) + ": " + str(length);
  }
  out += '\n';
  for (int k = 0; k < d.space.instructions.size(); ++k) {
    tn::instruction const& i = d.space.instructions[k];
    out += '%' + std::to_string(k) + " = " + std::string(i.op->name);
    for (int operand : i.operands) out += " %" + std::to_string(operand);
    if (i.op == tn::op_id<tn::ops::load>) out += " view " + std::to_string(d.space.loads[static_cast<int>(i.bits)].view);
    if (i.reduced) out += " over axes " + axes_of(i.reduced);
    out += " : " + std::string(tn::name(i.type)) + " varies over " + axes_of(i.axes) + '\n';
  }
  for (tn::store const& s : d.space.stores) out += "store %" + std::to_string(s.value) + " to output " + std::to_string(s.output) + '\n';
  return out;
}

char const* name_of(tn::place p) {
  char const* names[] = {"launch", "element", "row", "total"};
  return names[static_cast<int>(p)];
}

std::string schedule_text(tn::description const& d) {
  std::string out = "family " + std::string(d.plan.chosen->name) + ": " + std::string(d.plan.chosen->shape) + '\n';
  out += "rows " + axes_of(d.plan.rows) + ", columns " + axes_of(d.plan.columns) + '\n';
  for (int k = 0; k < d.plan.places.size(); ++k)
    out += '%' + std::to_string(k) + ' ' + std::string(d.space.instructions[k].op->name) + ": place " + name_of(d.plan.places[k]) + ", phase " +
           std::to_string(d.plan.phases[k]) + '\n';
  return out;
}

// One line per instruction type, in the order of the template arguments.
template <class Instruction>
struct instruction_text;
template <class Op, unsigned Meta, long long Bits, int... Operands>
struct instruction_text<tn::ins<Op, Meta, Bits, Operands...>> {
  static std::string get() {
    constexpr tn::meta m = tn::meta::unpack(Meta);
    std::string out = "  ins<" + std::string(Op::name) + ", {" + std::string(tn::name(m.type)) + ", " + name_of(m.where) + ", phase " +
                      std::to_string(m.phase) + "}, " + std::to_string(Bits);
    ((out += ", " + std::to_string(Operands)), ...);
    return out + ">";
  }
};
template <class... Instructions>
std::string program_text(tn::program<Instructions...>) {
  std::string out;
  ((out += (out.empty() ? "" : ",\n") + instruction_text<Instructions>::get()), ...);
  return "program<\n" + out + "\n>\n";
}

std::string call_text() {
  auto f = tn::compile(expression{});
  tn::cpu::tensor<float, tn::dyn, tn::dyn> x(1000, 1000), y(1000, 1000);
  tn::explanation e = tn::explain(f, x, y);
  return e.schedule + '\n' + e.costs;
}

}  // namespace

int main(int argc, char** argv) {
  tn::description const& d = tn::describe_expression<expression, matrix, matrix>();
  std::string out =
      "# The way of an expression\n\n"
      "This page is printed by `examples/documents/pipeline.cpp` from the stages themselves; a test compares the two.\n\n"
      "Thin types at both ends, plain values in the middle: the lambda's types say what may be checked on the user's line,\n"
      "everything between is ordinary `constexpr` code over arrays, and the last step makes one type of it again.\n\n"
      "```text\n"
      "lambda -trace-> graph -passes-> graph -space-> axes and loads -schedule-> places and phases -reify-> program<...>\n"
      "                                                          call: shapes -> plan (cached) -> launch\n"
      "```\n\n"
      "## What is written\n\n```cpp\n" + std::string(written) + "```\n\n"
      "## 1. Trace (`capture/`)\n\n"
      "The lambda runs once, in constant evaluation. `x` is a `value<f32, dyn, dyn>`: its type has dtype and extents, its value\n"
      "is the number of a node. Every operator adds one flat node, and an equal node is found instead of added, so that a value\n"
      "used many times is there once. `x0.1` is the length of axis 1 of argument 0; nothing is known of it yet.\n\n" +
      document::block(str(tn::print(d.traced))) +
      "## 2. Passes (`passes/pipeline.hpp`)\n\n"
      "Each pass is a function from graph to graph. Lengths that an operator requires to be equal get one name, so `y` is read\n"
      "as it lies; the sum of the row sums is found to be the sum of everything; what nothing needs any more goes.\n\n" +
      passes_text(d.traced) +
      "## 3. Iteration space (`schedule/iteration_space.hpp`)\n\n"
      "Shapes become axes. A transpose, a broadcast or a slice is no instruction: it is how a load is read along the axes.\n\n" +
      document::block(space_text(d)) +
      "## 4. Schedule (`schedule/select.hpp`)\n\n"
      "The first kernel family that accepts the space runs it. Every value gets a place (once for each element, row, total or\n"
      "launch) and a phase: one more than the latest reduction that it depends on.\n\n" +
      document::block(schedule_text(d)) +
      "## 5. Program (`program/reify.hpp`)\n\n"
      "The values become one short type without the lambda in it. Kernels are templates on it; the optimizer sees straight-line\n"
      "code. The braces stand for one packed number; what follows is a literal's bits or a position, then the operands.\n\n" +
      document::block(program_text(tn::to_program<expression, matrix, matrix>())) +
      "## 6. Call (`runtime/`, `backend/`)\n\n"
      "The shapes of a call make a plan, which is kept: axes that lie next to each other in every operand become one, the\n"
      "backend chooses its configuration, and a later call with the same shapes only fills in the pointers. For two tensors of\n"
      "1000 x 1000 on the CPU backend, `tn::explain` says of it:\n\n" +
      document::block(call_text());
  out.pop_back();
  return document::print_or_compare(out, argc, argv);
}
