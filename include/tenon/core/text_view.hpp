// SPDX-License-Identifier: Apache-2.0
#pragma once
// Characters that lie elsewhere: what names and the parts of a text are passed as.
//
// Not std::string_view: <string_view> costs every translation unit 0.25 s under nvcc 13.0. One becomes the other where
// it is asked for, and so does a std::string.

#include <cstddef>

namespace tenon {

namespace detail {
// std::string and std::string_view of any traits, named without their headers.
template <class T>
inline constexpr bool is_string_view = requires(T const& s) {
  typename T::traits_type;
  T::npos;
  static_cast<char const*>(s.data());
};
template <class T> inline constexpr bool is_string = false;
template <class T>
requires is_string_view<T>
inline constexpr bool is_string<T> = requires { typename T::allocator_type; };
}  // namespace detail

class text_view {
 public:
  constexpr text_view() = default;
  constexpr text_view(char const* terminated) : text_view(terminated, length(terminated)) {}
  constexpr text_view(char const* first, std::size_t count) : first_(first), count_(count) {}
  template <class String>
  requires detail::is_string_view<String>
  constexpr text_view(String const& other) : text_view(other.data(), other.size()) {}

  template <class StringView>
  requires(detail::is_string_view<StringView> && !detail::is_string<StringView>)
  constexpr operator StringView() const { return {first_, count_}; }
  template <class String>
  requires detail::is_string<String>
  constexpr explicit operator String() const { return {first_, count_}; }

  constexpr char const* data() const { return first_; }
  constexpr std::size_t size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr char const* begin() const { return first_; }
  constexpr char const* end() const { return first_ + count_; }
  constexpr char operator[](std::size_t i) const { return first_[i]; }

  constexpr bool operator==(text_view other) const {
    if (count_ != other.count_) return false;
    for (std::size_t i = 0; i < count_; ++i)
      if (first_[i] != other.first_[i]) return false;
    return true;
  }
  constexpr bool operator==(char const* other) const { return *this == text_view(other); }
  template <class String>
  requires detail::is_string_view<String>
  constexpr bool operator==(String const& other) const { return *this == text_view(other); }

  constexpr bool contains(text_view part) const {
    for (std::size_t at = 0; at + part.count_ <= count_; ++at)
      if (text_view(first_ + at, part.count_) == part) return true;
    return false;
  }

  // Any stream that takes characters; no stream header is included for it.
  template <class Stream>
  requires requires(Stream& out, char const* characters) { out.write(characters, 1); }
  friend Stream& operator<<(Stream& out, text_view t) {
    out.write(t.first_, static_cast<std::ptrdiff_t>(t.count_));
    return out;
  }

 private:
  // g++ 12 does not accept __builtin_strlen of what a constant evaluation allocated.
  static constexpr std::size_t length(char const* terminated) {
    std::size_t count = 0;
    while (terminated[count]) ++count;
    return count;
  }

  char const* first_ = "";
  std::size_t count_ = 0;
};

}  // namespace tenon
