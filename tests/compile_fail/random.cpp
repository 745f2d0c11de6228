// SPDX-License-Identifier: Apache-2.0
// Random numbers that cannot be drawn.
#include <tenon/tenon.hpp>
namespace tn = tenon;

void use() {
  tn::tensor<float, 4> x, z;
  tn::tensor<int, 4> whole;

// case: random_integers
// expected-error: "tenon: random: the operand is not floating-point; its shape and dtype are those of the numbers, so cast it first"
#ifdef TENON_CASE_random_integers
  z = tn::rand(whole, 1); // error here
#endif

// case: seed_is_floating
// expected-error: "tenon: random: the seed is not an integer of rank 0, or the stream no build-time integer; pass the seed as an argument of the call, as in tn::rand(x, seed) or tn::rand(x, seed, tn::ct<1>)"
#ifdef TENON_CASE_seed_is_floating
  auto f = tn::compile([](auto a) {
    return tn::rand(a, 0.5f); // error here
  });
  auto r = f(x);
#endif

// case: no_seed
// expected-error: "tenon: random: the arguments are not a value and a seed; write tn::rand(x, seed), where x gives shape and dtype"
#ifdef TENON_CASE_no_seed
  z = tn::randn(x); // error here
#endif

// case: dropout_without_seed
// expected-error: "tenon: dropout: the arguments are not a value, a probability and a seed; write tn::dropout(x, 0.1, seed)"
#ifdef TENON_CASE_dropout_without_seed
  auto f = tn::compile([](auto a) {
    return tn::dropout(a); // error here
  });
  auto r = f(x);
#endif
}
