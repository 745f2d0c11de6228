// SPDX-License-Identifier: Apache-2.0
// docs/promotion.md: the dtype that operands of two dtypes meet in.

#include "document.hpp"

#include <tenon/core/dtype.hpp>

namespace tn = tenon;

namespace {

std::string name(int k) { return std::string(tn::name(static_cast<tn::dtype>(k))); }

template <class Cell>
std::string table(Cell const& cell) {
  std::string head = "| |", rule = "|---|", rows;
  for (int column = 0; column < tn::dtype_count; ++column) {
    head += " " + name(column) + " |";
    rule += "---|";
  }
  for (int row = 0; row < tn::dtype_count; ++row) {
    rows += "| **" + name(row) + "** |";
    for (int column = 0; column < tn::dtype_count; ++column) rows += " " + cell(static_cast<tn::dtype>(row), static_cast<tn::dtype>(column)) + " |";
    rows += "\n";
  }
  return head + "\n" + rule + "\n" + rows;
}

std::string promoted(tn::dtype a, tn::dtype b) { return std::string(tn::name(tn::promote(a, b))); }
std::string with_scalar(tn::dtype a, tn::dtype b) {
  return std::string(tn::name(tn::promote({a, tn::priority::tensor}, {b, tn::priority::scalar})));
}
std::string with_literal(tn::dtype a, tn::dtype b) {
  return std::string(tn::name(tn::promote({a, tn::priority::tensor}, {b, tn::priority::literal})));
}

std::string literal_rows() {
  std::string rows;
  for (int k = 0; k < tn::dtype_count; ++k) {
    tn::dtype const d = static_cast<tn::dtype>(k);
    rows += "| **" + name(k) + "** | " + with_literal(d, tn::dtype::boolean) + " | " + with_literal(d, tn::dtype::i64) + " | " +
            with_literal(d, tn::default_float) + " |\n";
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  std::string out =
      "# Promotion\n\n"
      "This page is printed by `examples/documents/promotion.cpp` from `core/dtype.hpp`; a test compares the two.\n\n"
      "The category of the result is the highest of the operands': bool, integer, floating. Of the operands in that category those\n"
      "of the highest kind decide: tensors with axes before tensors of rank 0 and numbers passed at the call, and these before\n"
      "literals of the lambda and numbers in a statement. What an operator makes of the promoted dtype stands in\n"
      "[operators.md](operators.md): `/`, `exp` and their like make f32 of integers and bool.\n\n"
      "These are PyTorch's rules, compared with its own results for every pair of dtypes and kinds\n"
      "(`tests/static/core/torch_promotion_test.cpp`). Where PyTorch refuses a pair, Tenon has an answer:\n\n"
      "- u16, u32 or u64 with another integer or bool: the narrowest integer type that holds the numbers of both; of u64 with a\n"
      "  signed type, which none holds, i64, in which the upper half of u64 wraps.\n"
      "- float8 with another floating type: the narrowest type that holds both, f16 for the two float8 types.\n"
      "- float8 with an integer or bool: the float8 type, as for every other floating type.\n\n"
      "## Two operands of one kind\n\n" +
      table(promoted) +
      "\n## A tensor (row) with a tensor of rank 0, or a number passed at the call (column)\n\n" + table(with_scalar) +
      "\n## A tensor with a literal\n\n| | `true` | `1` | `1.5` |\n|---|---|---|---|\n" + literal_rows();
  return document::print_or_compare(out, argc, argv);
}
