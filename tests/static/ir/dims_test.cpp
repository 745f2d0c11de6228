// SPDX-License-Identifier: Apache-2.0
// The table of lengths: equal numbers for equal lengths, products in a normal form, and what
// uniting two implies.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// Lengths x0.0, x0.1, x1.0 and the name B.
struct table : dim_table {
  dim n = of_input(0, 0, extent()), m = of_input(0, 1, extent()), k = of_input(1, 0, extent());
  dim batch = of_input(2, 0, extent("B"));
};
template <class Function> constexpr text shown(Function f) {
  table t;
  dim d = f(t);
  text out;
  t.print(out, t.representative(d));
  return out;
}
// f gives two dims; they are one.
template <class Function> constexpr bool agree(Function f) {
  table t;
  auto [a, b] = f(t);
  return t.representative(a) == t.representative(b);
}
struct two {
  dim a, b;
};
constexpr long long open = detail::open_bound;

static_assert(dim_table().constant(1) == unit_dim);
static_assert(shown([](table& t) { return t.of_input(5, 1, extent("B")); }) == "B");
static_assert(agree([](table& t) { return two{t.of_input(5, 1, extent("B")), t.batch}; }));
static_assert(!agree([](table& t) { return two{t.of_input(5, 1, extent("BB")), t.batch}; }));
static_assert(!agree([](table& t) { return two{t.n, t.m}; }));

// Slices.
static_assert(shown([](table& t) { return t.sliced(t.n, 1, -1, 1); }) == "x0.0[1:-1]");
static_assert(shown([](table& t) { return t.sliced(t.n, open, open, -1); }) == "x0.0");  // reversed, as long
static_assert(shown([](table& t) { return t.sliced(t.n, 0, open, 1); }) == "x0.0");
static_assert(shown([](table& t) { return t.sliced(t.constant(10), 1, -1, 3); }) == "3");
static_assert(shown([](table& t) { return t.sliced(t.constant(10), 7, 3, 1); }) == "0");
static_assert(shown([](table& t) { return t.sliced(t.constant(3), -100, 100, 1); }) == "3");

// Products and quotients.
static_assert(shown([](table& t) {
                return t.product(t.product(t.m, t.constant(2)), t.product(t.constant(3), t.n));
              }) == "x0.0*x0.1*6");
static_assert(shown([](table& t) { return t.product(t.n, unit_dim); }) == "x0.0");
static_assert(shown([](table& t) { return t.product(t.n, t.constant(0)); }) == "0");
static_assert(agree([](table& t) {
  return two{t.product(t.n, t.product(t.m, t.k)), t.product(t.product(t.k, t.n), t.m)};
}));
static_assert(shown([](table& t) { return t.quotient(t.product(t.n, t.m), t.n); }) == "x0.1");
static_assert(shown([](table& t) {
                return t.quotient(t.product(t.n, t.constant(12)), t.constant(4));
              }) == "x0.0*3");
static_assert(shown([](table& t) {
                return t.quotient(t.product(t.n, t.constant(6)), t.constant(4));
              }) == "x0.0*6/4");
static_assert(shown([](table& t) { return t.quotient(t.n, t.n); }) == "1");
static_assert(shown([](table& t) { return t.quotient(t.n, t.constant(0)); }) == "x0.0/0");
static_assert(shown([](table& t) { return t.quotient(t.constant(12), t.constant(4)); }) == "3");

// The representative is the most specific of what was united, whatever the order.
template <class... Pairs> constexpr text united(Pairs... pairs) {
  return shown([&](table& t) {
    (t.unite(pairs(t).a, pairs(t).b), ...);
    t.close();
    return t.m;
  });
}
static_assert(united([](table& t) { return two{t.m, t.n}; }) == "x0.0");
static_assert(united([](table& t) { return two{t.n, t.m}; }) == "x0.0");
static_assert(united([](table& t) { return two{t.m, t.batch}; }) == "B");
static_assert(united(
                  [](table& t) {
                    return two{t.m, t.k};
                  },
                  [](table& t) {
                    return two{t.k, t.constant(7)};
                  }) == "7");
static_assert(united(
                  [](table& t) {
                    return two{t.m, t.constant(7)};
                  },
                  [](table& t) {
                    return two{t.batch, t.k};
                  },
                  [](table& t) {
                    return two{t.k, t.m};
                  }) == "7");
static_assert(united([](table& t) { return two{t.m, t.sliced(t.n, 1, open, 1)}; }) == "x0.1");

// What is computed from united lengths is united.
template <class Function>
constexpr bool agree_when_united(dim table::*a, dim table::*b, Function f) {
  return agree([&](table& t) {
    two result = f(t);
    t.unite(t.*a, t.*b);
    t.close();
    return result;
  });
}
static_assert(agree_when_united(&table::n, &table::m, [](table& t) {
  return two{t.sliced(t.n, 1, open, 1), t.sliced(t.m, 1, open, 1)};
}));
static_assert(agree_when_united(&table::n, &table::m, [](table& t) {
  return two{t.product(t.n, t.k), t.product(t.m, t.k)};
}));
static_assert(agree_when_united(&table::n, &table::m, [](table& t) {
  return two{t.product(t.sliced(t.n, 1, 5, 1), t.constant(2)),
             t.product(t.constant(2), t.sliced(t.m, 1, 5, 1))};
}));
static_assert(agree_when_united(&table::n, &table::m, [](table& t) {
  return two{t.quotient(t.n, t.constant(4)), t.quotient(t.m, t.constant(4))};
}));
static_assert(agree([](table& t) {
  dim sliced = t.sliced(t.n, 2, open, 1), product = t.product(sliced, t.constant(3));
  t.unite(t.n, t.constant(8));
  t.close();
  return two{product, t.constant(18)};
}));
// A length that is united with a product of itself does not keep the table growing.
static_assert(agree([](table& t) {
  dim nm = t.product(t.n, t.m), nmk = t.product(nm, t.k);
  t.unite(t.n, nm);
  t.close();
  return two{nmk, t.product(t.n, t.k)};
}));

}  // namespace
}  // namespace tenon::test
