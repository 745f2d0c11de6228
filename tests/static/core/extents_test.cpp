// SPDX-License-Identifier: Apache-2.0
// Extents in a type, and which of them meet in one operation.
#include "tenon/core/extents.hpp"

namespace tenon::test {
namespace {

constexpr extent four(4), five(5), one(1), zero(0), batch("B"), time("T");

static_assert(four.is_static() && !four.is_named() && !four.is_dynamic());
static_assert(batch.is_named() && !batch.is_static() && !batch.is_dynamic());
static_assert(dyn.is_dynamic() && one.is_one() && zero.is_static());
static_assert(extent("B") == batch && !(batch == time) && extent(4u) == four);

// Symmetric: what may meet, and the more specific of the two.
constexpr bool gives(extent a, extent b, extent result) {
  return are_compatible(a, b) && are_compatible(b, a) && broadcast_extent(a, b) == result &&
         broadcast_extent(b, a) == result;
}
constexpr bool clash(extent a, extent b) { return !are_compatible(a, b) && !are_compatible(b, a); }

static_assert(gives(four, four, four) && gives(four, one, four) && gives(four, dyn, four));
static_assert(gives(batch, batch, batch) && gives(batch, one, batch) && gives(batch, dyn, batch));
static_assert(gives(dyn, dyn, dyn) && gives(dyn, one, dyn) && gives(one, one, one));
static_assert(gives(zero, one, zero) && gives(zero, dyn, zero));
static_assert(clash(four, five) && clash(four, zero) && clash(batch, time) && clash(batch, four));

template <extent... E> struct holder {};
template <class A, class B> inline constexpr bool is_same = false;
template <class A> inline constexpr bool is_same<A, A> = true;
static_assert(is_same<holder<"B", 512, dyn>, holder<extent("B"), extent(512), extent{}>>);

}  // namespace
}  // namespace tenon::test
