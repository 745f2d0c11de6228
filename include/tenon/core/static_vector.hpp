// SPDX-License-Identifier: Apache-2.0
#pragma once
// Constexpr sequences: a fixed-capacity one for a node's members and a growing one for the graph and its text.

#include <cstddef>
#include <cstdlib>
#include <utility>

#include "tenon/core/config.hpp"

namespace tenon {

namespace detail {
// Not constexpr: reaching it in constant evaluation is a compile-time error that shows its name.
[[noreturn]] inline void static_vector_capacity_exceeded() { std::abort(); }

// Ends what g++ 12 evaluates without need: of a call with constant arguments it tries whether it is a constant, and throws
// away every text that it has put together. Where a constant is asked for this is nothing.
constexpr void evaluate_only_if_asked() {
  if (__builtin_is_constant_evaluated()) return;
}
}  // namespace detail

// At most N values, all default-constructed, so that it stays an aggregate of plain values in constant evaluation.
template <class T, int N>
struct static_vector {
  T items[N] = {};
  int count = 0;

  constexpr int size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr void push_back(T value) {
    if (count == N) detail::static_vector_capacity_exceeded();
    items[count++] = value;
  }
  constexpr void insert(int position, T value) {
    push_back(value);
    for (int i = count - 1; i > position; --i) items[i] = items[i - 1];
    items[position] = value;
  }
  constexpr void erase(int position) {
    for (int i = position; i + 1 < count; ++i) items[i] = items[i + 1];
    items[--count] = T{};
  }
  constexpr T& operator[](int i) { return items[i]; }
  constexpr T const& operator[](int i) const { return items[i]; }
  constexpr T* begin() { return items; }
  constexpr T* end() { return items + count; }
  constexpr T const* begin() const { return items; }
  constexpr T const* end() const { return items + count; }
  constexpr bool operator==(static_vector const& other) const {
    if (count != other.count) return false;
    for (int i = 0; i < count; ++i)
      if (!(items[i] == other.items[i])) return false;
    return true;
  }
};

// A growing sequence whose memory lives only as long as the constant evaluation that uses it. std::vector would do, but
// its constexpr form is not accepted by nvcc 13.0's front end over libstdc++ 12.
template <class T>
class constexpr_vector {
 public:
  constexpr int size() const { return count_; }
  constexpr bool empty() const { return count_ == 0; }
  constexpr void pop_back() { --count_; }
  constexpr void clear() { count_ = 0; }
  constexpr T& operator[](int i) { return items_[i]; }
  constexpr T const& operator[](int i) const { return items_[i]; }
  constexpr T& back() { return items_[count_ - 1]; }
  constexpr T const& back() const { return items_[count_ - 1]; }
  constexpr T* begin() { return items_; }
  constexpr T* end() { return items_ + count_; }
  constexpr T const* begin() const { return items_; }
  constexpr T const* end() const { return items_ + count_; }

  // Warm calls only read. What follows is a twelfth of what g++ 12 does for the host code of five expressions if it is
  // optimized.
  TENON_ONCE_BEGIN
  constexpr constexpr_vector() = default;
  constexpr constexpr_vector(int n, T value) {
    for (int i = 0; i < n; ++i) push_back(value);
  }
  constexpr constexpr_vector(constexpr_vector const& other) { append(other); }
  constexpr constexpr_vector(constexpr_vector&& other) noexcept { swap(other); }
  constexpr constexpr_vector& operator=(constexpr_vector other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~constexpr_vector() {
    if (capacity_ > 0) delete[] items_;
  }

  // The items of a constant as they lie. @pre the vector is only read, and not longer than they live
  static constexpr_vector over(T const* items, int count) {
    constexpr_vector result;
    result.items_ = const_cast<T*>(items);
    result.count_ = count;
    return result;
  }

  constexpr void push_back(T value) {
    if (count_ == capacity_) grow();
    items_[count_++] = std::move(value);
  }
  constexpr void append(constexpr_vector const& other) {
    for (int i = 0; i < other.count_; ++i) push_back(other.items_[i]);
  }
  constexpr bool operator==(constexpr_vector const& other) const {
    if (count_ != other.count_) return false;
    for (int i = 0; i < count_; ++i)
      if (!(items_[i] == other.items_[i])) return false;
    return true;
  }

 private:
  // By hand: std::swap checks the traits of each type it is used with, and this is used with many.
  constexpr void swap(constexpr_vector& other) noexcept {
    T* const items = items_;
    int const count = count_, capacity = capacity_;
    items_ = other.items_, count_ = other.count_, capacity_ = other.capacity_;
    other.items_ = items, other.count_ = count, other.capacity_ = capacity;
  }
  [[gnu::cold, gnu::noinline]] constexpr void grow() {
    detail::evaluate_only_if_asked();
    int larger = capacity_ ? capacity_ * 2 : 8;
    T* moved = new T[static_cast<std::size_t>(larger)]{};
    for (int i = 0; i < count_; ++i) moved[i] = std::move(items_[i]);
    delete[] items_;
    items_ = moved;
    capacity_ = larger;
  }
  TENON_ONCE_END

  T* items_ = nullptr;
  int count_ = 0;
  int capacity_ = 0;
};

}  // namespace tenon
