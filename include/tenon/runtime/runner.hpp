// SPDX-License-Identifier: Apache-2.0
#pragma once
// One expression for one list of argument types: its plans, and all that they are made from.

#include "tenon/runtime/make_plan.hpp"
#include "tenon/runtime/plan_cache.hpp"
#include "tenon/runtime/signature.hpp"

namespace tenon::detail {

// Kernels for operands whose rows are neighbours in memory are left out where the types say that none are.
template <class Signature, class Program, column_order Columns>
class runner {
  using traits = program_traits<Program>;
  using space = typename Signature::space;

 public:
  using operands_type = call_operands<Signature::input_count, Signature::output_count, Signature::shape_words>;
  using words_type = argument_words<traits::load_count, traits::store_count, traits::scalar_count>;
  using cache_type = plan_cache<plan<space>>;
  static cache_type& cache() {
    static cache_type instance;
    return instance;
  }
  static int device() { return prepared<space>::device(); }

  [[gnu::cold]] static expression_facts<space> about() {
    return {.input_count = Signature::input_count,
            .output_count = Signature::output_count,
            .program = facts_of<Program>,
            .describe = Signature::describe,
            .prepare = prepared<space>::template of<Program, Signature::family, Columns>};
  }
};

}  // namespace tenon::detail
