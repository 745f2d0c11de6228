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

// At most N values, all default-constructed, so that it stays an aggregate of plain values in constant evaluation. Where a
// body is one expression, here and in what is built of it, it is inlined also into functions that are not optimized: those
// made 80 functions of it, and g++ 12 worked 3 % more on a first expression.
template <class T, int N>
struct static_vector {
  T items[N] = {};
  int count = 0;

  [[gnu::always_inline]] constexpr int size() const { return count; }
  [[gnu::always_inline]] constexpr bool empty() const { return count == 0; }
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
  [[gnu::always_inline]] constexpr T& operator[](int i) { return items[i]; }
  [[gnu::always_inline]] constexpr T const& operator[](int i) const { return items[i]; }
  [[gnu::always_inline]] constexpr T* begin() { return items; }
  [[gnu::always_inline]] constexpr T* end() { return items + count; }
  [[gnu::always_inline]] constexpr T const* begin() const { return items; }
  [[gnu::always_inline]] constexpr T const* end() const { return items + count; }
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
  [[gnu::always_inline]] constexpr int size() const { return count_; }
  [[gnu::always_inline]] constexpr bool empty() const { return count_ == 0; }
  [[gnu::always_inline]] constexpr void pop_back() { --count_; }
  [[gnu::always_inline]] constexpr void clear() { count_ = 0; }
  [[gnu::always_inline]] constexpr T& operator[](int i) { return items_[i]; }
  [[gnu::always_inline]] constexpr T const& operator[](int i) const { return items_[i]; }
  [[gnu::always_inline]] constexpr T& back() { return items_[count_ - 1]; }
  [[gnu::always_inline]] constexpr T const& back() const { return items_[count_ - 1]; }
  [[gnu::always_inline]] constexpr T* begin() { return items_; }
  [[gnu::always_inline]] constexpr T* end() { return items_ + count_; }
  [[gnu::always_inline]] constexpr T const* begin() const { return items_; }
  [[gnu::always_inline]] constexpr T const* end() const { return items_ + count_; }

  // Warm calls only read. What follows is a twelfth of what g++ 12 does for the host code of five expressions if it is
  // optimized. Each function is one for each of twenty types: fewer of them, which call no others, took 3 % from a first one.
  TENON_ONCE_BEGIN
  constexpr constexpr_vector() = default;
  constexpr constexpr_vector(int n, T value) {
    for (int i = 0; i < n; ++i) push_back(value);
  }
  constexpr constexpr_vector(constexpr_vector const& other) { append(other); }
  constexpr constexpr_vector(constexpr_vector&& other) noexcept
      : items_(other.items_), count_(other.count_), capacity_(other.capacity_) {
    other.items_ = nullptr, other.count_ = other.capacity_ = 0;
  }
  constexpr constexpr_vector& operator=(constexpr_vector other) noexcept {
    T* const items = items_;
    int const capacity = capacity_;
    items_ = other.items_, count_ = other.count_, capacity_ = other.capacity_;
    other.items_ = items, other.capacity_ = capacity;  // other ends here, and frees them
    return *this;
  }
  constexpr ~constexpr_vector() {
    if (capacity_ > 0) delete[] items_;
  }

  // From now on the items of a constant as they lie.
  // @pre the vector is only read, and not longer than they live
  template <int N>
  constexpr void refer_to(static_vector<T, N> const& constant) {
    if (capacity_ > 0) delete[] items_;
    items_ = const_cast<T*>(constant.items), count_ = constant.count, capacity_ = 0;
  }

  constexpr void push_back(T value) {
    if (count_ == capacity_) {
      detail::evaluate_only_if_asked();
      int const larger = capacity_ ? capacity_ * 2 : 8;
      T* const moved = new T[static_cast<std::size_t>(larger)]{};
      for (int i = 0; i < count_; ++i) moved[i] = static_cast<T&&>(items_[i]);
      delete[] items_;
      items_ = moved;
      capacity_ = larger;
    }
    items_[count_++] = static_cast<T&&>(value);
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

  TENON_ONCE_END

 private:
  T* items_ = nullptr;
  int count_ = 0;
  int capacity_ = 0;
};

}  // namespace tenon
