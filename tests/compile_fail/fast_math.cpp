// SPDX-License-Identifier: Apache-2.0
// compilers: gcc
// flags: -ffast-math
// expected-error: "tenon: configuration: -ffast-math is less exact than Tenon promises; compile without it"
#include <tenon/tenon.hpp>
