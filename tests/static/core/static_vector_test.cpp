// SPDX-License-Identifier: Apache-2.0
// The fixed-capacity and the growing constexpr sequence.
#include "tenon/core/static_vector.hpp"

namespace tenon::test {
namespace {

using four = static_vector<int, 4>;

constexpr four built() {
  four v;
  v.push_back(1);
  v.push_back(3);
  v.insert(1, 2);
  v.insert(0, 0);
  return v;
}
static_assert(built() == four{{0, 1, 2, 3}, 4});
static_assert(!(built() == four{{0, 1, 2}, 3}) && four{}.empty());

constexpr four erased() {
  four v = built();
  v.erase(0);
  v.erase(2);
  return v;
}
static_assert(erased() == four{{1, 2}, 2});
static_assert(erased().items[2] == 0 && erased().items[3] == 0,
              "left-over items would be part of a type");

constexpr int sum(constexpr_vector<int> const& v) {
  int total = 0;
  for (int x : v) total += x;
  return total;
}
constexpr constexpr_vector<int> counted(int n) {
  constexpr_vector<int> v;
  for (int i = 1; i <= n; ++i) v.push_back(i);
  return v;
}
static_assert(sum(counted(100)) == 5050 && counted(100).back() == 100);
static_assert(sum(constexpr_vector<int>(3, 7)) == 21 && constexpr_vector<int>().empty());

constexpr bool copies_are_independent() {
  constexpr_vector<int> a = counted(20), b = a, c;
  c = b;
  b[0] = 100;
  constexpr_vector<int> d = static_cast<constexpr_vector<int>&&>(a);
  c.append(d);
  c.pop_back();
  return a.empty() && d.size() == 20 && d[0] == 1 && b[0] == 100 && c.size() == 39 && !(b == d);
}
static_assert(copies_are_independent());

}  // namespace
}  // namespace tenon::test
