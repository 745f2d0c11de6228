// SPDX-License-Identifier: Apache-2.0
// Numbers as text.
#include "tenon/core/text.hpp"

#include <limits>

namespace tenon::test {
namespace {

template <class T> constexpr text written(T number) { return text() << number; }

static_assert(written(0) == "0" && written(-7) == "-7" && written(1000000007) == "1000000007");
static_assert(written(std::numeric_limits<long long>::max()) == "9223372036854775807");
static_assert(written(std::numeric_limits<long long>::min()) == "-9223372036854775808",
              "the lowest number has no positive counterpart");

static_assert(written(2.0) == "2" && written(-0.5) == "-0.5" && written(1.2) == "1.2");
static_assert(written(0.1f) == "0.1" && written(0.044715) == "0.044715");
static_assert(written(0.0) == "0" && written(-0.0) == "-0");
static_assert(written(123456.0) == "123456" && written(1e6) == "1e6" &&
              written(-2.5e20) == "-2.5e20");
static_assert(written(1e-5) == "1e-5" && written(0.001953125) == "1.953125e-3");
// Neighbours differ in their text, and what needs few digits has few.
static_assert(written(1.0f / 3) == "0.33333334" && written(16777217.0) == "1.6777217e7");
static_assert(written(1.00000012f) == "1.0000001" && written(1.702) == "1.702");
static_assert(written(1.0 / 3) == "0.3333333333333333" && written(0.1 + 0.2) == "0.3");
static_assert(written(1e-5f) == "1e-5", "the float is below 1e-5: its first digit rounds to ten");
static_assert(written(std::numeric_limits<double>::infinity()) == "inf");
static_assert(written(-std::numeric_limits<double>::infinity()) == "-inf");
static_assert(written(std::numeric_limits<double>::quiet_NaN()) == "nan");

static_assert((text("a") << 'b' << "cd" << text("e") << 1 << 2.5) == "abcde12.5");
static_assert(text("ab") == text("ab") && !(text("ab") == "abc") && text().view().empty());

}  // namespace
}  // namespace tenon::test
