// SPDX-License-Identifier: Apache-2.0
// Outputs that do not fit the result, in both forms.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4, 5> x;
  tn::tensor<double, 4, 5> other_dtype;
  tn::tensor<float, 4> other_rank;
  tn::tensor<float, 4, 6> other_extents;
  tn::tensor<float, "B", "T"> tokens(4, 5);
  tn::tensor<float, "B", "S"> other_names(4, 5);
  tn::tensor<float, 4, 5> const constant;
  tn::view<float const, 4, 5> read_only(x.data());
  tn::cuda::view<float, 4, 5> there(nullptr);
  tn::cpu::tensor<float, 4, 5> here;
  auto f = tn::compile([](auto a) { return tn::exp(a); });

// case: count
// expected-error: "tenon: into: the number of outputs differs from the expression's results; give one tensor for each result"
#ifdef TENON_CASE_count
  f.into(x, x)(x); // error here
#endif

// case: dtype
// expected-error: "tenon: into: the dtype of an output differs from the result's; give a tensor of the result's dtype, or cast in the expression"
#ifdef TENON_CASE_dtype
  f.into(other_dtype)(x); // error here
#endif

// case: dtype_statement
// expected-error: "tenon: into: the dtype of an output differs from the result's"
#ifdef TENON_CASE_dtype_statement
  other_dtype = tn::exp(x); // error here
#endif

// case: rank
// expected-error: "tenon: into: the rank of an output differs from the result's; give one axis for each axis of the result"
#ifdef TENON_CASE_rank
  f.into(other_rank)(x); // error here
#endif

// case: rank_statement
// expected-error: "tenon: into: the rank of an output differs from the result's"
#ifdef TENON_CASE_rank_statement
  other_rank = tn::exp(x); // error here
#endif

// case: extents
// expected-error: "tenon: into: the extents of an output differ from the result's; give it the lengths or names of the result, or tn::dyn"
#ifdef TENON_CASE_extents
  f.into(other_extents)(x); // error here
#endif

// case: extents_statement
// expected-error: "tenon: into: the extents of an output differ from the result's"
#ifdef TENON_CASE_extents_statement
  other_extents.view() = tn::exp(x); // error here
#endif

// case: names
// expected-error: "tenon: into: the extents of an output differ from the result's"
#ifdef TENON_CASE_names
  f.into(other_names)(tokens); // error here
#endif

// case: constant
// expected-error: "tenon: into: an output is read-only; give a tensor or a view of a type that is not const"
#ifdef TENON_CASE_constant
  f.into(constant)(x); // error here
#endif

// case: constant_statement
// expected-error: "tenon: into: an output is read-only; give a tensor or a view of a type that is not const"
#ifdef TENON_CASE_constant_statement
  read_only = tn::exp(x); // error here
#endif

// case: space
// expected-error: "tenon: into: an output is in another memory space than the operands; allocate it where they are"
#ifdef TENON_CASE_space
  f.into(there)(here); // error here
#endif

// case: no_array
// expected-error: "tenon: into: an output is neither a tensor nor a view; give one tensor or view for each result"
#ifdef TENON_CASE_no_array
  f.into(x.data())(x); // error here
#endif
}
