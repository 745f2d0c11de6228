// SPDX-License-Identifier: Apache-2.0
#pragma once
// A constexpr string builder: what `print`, errors and reports produce, in static tests and at run time alike.
//
// The library has no std::string of its own: <string> and what it instantiates cost every translation unit 0.2 s under
// nvcc 13.0. A text becomes one where a std::string is asked for.

#include <type_traits>

#include "tenon/core/config.hpp"
#include "tenon/core/static_vector.hpp"
#include "tenon/core/text_view.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// What copies characters is cold and stands by itself: inlined into every message it made g++ -O3 spend 1.5 s on a
// translation unit with nothing but tensors in it.
class text {
 public:
  constexpr text() = default;
  [[gnu::cold, gnu::noinline]] constexpr text(text const& other) { *this << other.view(); }
  [[gnu::cold]] constexpr text(text&&) noexcept = default;
  [[gnu::cold, gnu::noinline]] constexpr text& operator=(text const& other) = default;
  [[gnu::cold]] constexpr text& operator=(text&& other) noexcept = default;
  [[gnu::cold, gnu::noinline]] constexpr text(text_view initial) { *this << initial; }
  [[gnu::cold, gnu::noinline]] constexpr text(const char* initial) {
    detail::evaluate_only_if_asked();
    *this << text_view(initial);
  }
  template <class String>
  requires detail::is_string_view<String> constexpr text(String const& initial) {
    *this << text_view(initial);
  }

  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(text_view part) {
    for (char c : part) characters_.push_back(c);
    return *this;
  }
  constexpr text& operator<<(const char* part) { return *this << text_view(part); }
  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(char c) {
    characters_.push_back(c);
    return *this;
  }
  [[gnu::cold, gnu::noinline]] constexpr text& operator<<(long long number) {
    if (number < 0) *this << '-';
    // Negated unsigned: the lowest number has no positive counterpart.
    unsigned long long left = static_cast<unsigned long long>(number);
    if (number < 0) left = 0 - left;
    char digits[20];
    int n = 0;
    do digits[n++] = static_cast<char>('0' + left % 10);
    while (left /= 10);
    while (n) *this << digits[--n];
    return *this;
  }
  constexpr text& operator<<(int number) { return *this << static_cast<long long>(number); }
  constexpr text& operator<<(long number) { return *this << static_cast<long long>(number); }
  constexpr text& operator<<(unsigned long number) {
    if (number >= 10) *this << static_cast<long long>(number / 10);
    return *this << static_cast<char>('0' + number % 10);
  }
  // A float in as few digits as tell it from its neighbours, a double in at most sixteen.
  constexpr text& operator<<(double number) { return write(number, false); }
  constexpr text& operator<<(float number) { return write(number, true); }
  template <class Text>
  requires std::is_same_v<Text, text> constexpr text& operator<<(Text const& other) {
    return *this << other.view();
  }
  template <class Part> constexpr text& operator+=(Part const& part) { return *this << part; }
  template <class Part> friend constexpr text operator+(text left, Part const& right) {
    left << right;
    return left;
  }
  [[gnu::cold, gnu::noinline]] friend constexpr text operator+(text_view left, text const& right) {
    return text(left) << right;
  }

  constexpr text_view view() const {
    return {characters_.begin(), static_cast<std::size_t>(characters_.size())};
  }
  constexpr operator text_view() const { return view(); }
  template <class String>
  requires detail::is_string_view<String> constexpr operator String() const { return String(view()); }
  constexpr int size() const { return characters_.size(); }
  constexpr bool empty() const { return characters_.empty(); }
  constexpr bool operator==(text_view other) const { return view() == other; }
  constexpr bool operator==(const char* other) const { return view() == other; }
  template <class String>
  requires detail::is_string_view<String> constexpr bool operator==(String const& other) const {
    return view() == text_view(other);
  }
  template <class Text>
  requires std::is_same_v<Text, text> constexpr bool operator==(Text const& other) const {
    return view() == other.view();
  }

  // Any stream that takes characters; no stream header is included for it.
  template <class Stream>
  requires requires(Stream& out, const char* characters) { out.write(characters, 1); }
  friend Stream& operator<<(Stream& out, text const& t) {
    out.write(t.characters_.begin(), t.size());
    return out;
  }

 private:
  [[gnu::cold, gnu::noinline]] constexpr text& write(double number, bool is_float) {
    if (number != number) return *this << "nan";
    if (__builtin_bit_cast(long long, number) < 0) return *this << '-', write(-number, is_float);  // -0 too
    if (number > 1.7976931348623157e308) return *this << "inf";
    int exponent = 0;
    if (number != 0 && (number >= 1e6 || number < 1e-2)) {
      while (number >= 10) number /= 10, ++exponent;
      while (number < 1) number *= 10, --exponent;
    }
    long long scale = 1, fixed = 0;
    for (;; scale *= 10) {
      fixed = static_cast<long long>(number * static_cast<double>(scale) + 0.5);
      double const written = static_cast<double>(fixed) / static_cast<double>(scale);
      double const difference = written < number ? number - written : written - number;
      if (difference <= number * (is_float ? 0x1p-25 : 0x1p-50)) break;
      if (is_float && exponent == 0 && static_cast<float>(written) == static_cast<float>(number)) break;
    }
    if (exponent && fixed == 10 * scale) fixed = scale, ++exponent;
    *this << fixed / scale;
    if (long long rest = fixed % scale) {
      *this << '.';
      for (long long digit = scale / 10; rest; digit /= 10) *this << static_cast<char>('0' + rest / digit), rest %= digit;
    }
    if (exponent) *this << 'e' << exponent;
    return *this;
  }

  constexpr_vector<char> characters_;
};

[[gnu::cold, gnu::noinline]] constexpr text to_string(long long number) { return text() << number; }

}  // namespace tenon
TENON_ONCE_END
