// SPDX-License-Identifier: Apache-2.0
// compilers: nvcc
// names-no-line
// expected-error: "tenon: configuration: --use_fast_math, -ftz=true, -prec-div=false and -prec-sqrt=false are less exact than Tenon promises; build without them"
// Options that make a kernel less exact than its operators promise.
#include <tenon/tenon.hpp>
namespace tn = tenon;

// case: use_fast_math
// flags: --use_fast_math

// case: flush_to_zero
// flags: -ftz=true

// case: approximate_division
// flags: -prec-div=false

// case: approximate_square_root
// flags: -prec-sqrt=false

void use(tn::tensor<float, tn::dyn>& z, tn::tensor<float, tn::dyn> const& x) { z = tn::exp(x); }
