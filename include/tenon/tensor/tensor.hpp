// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tensor that owns row-major memory in some space, with extents that are static, run-time or
// named.

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tenon/tensor/tensor_view.hpp"

namespace tenon {

// Move-only, since a copy is a cost that should be seen: use clone(). The memory is not
// initialised, and it is given back on the stream that the tensor was made on, which must outlive
// it.
template <class Space, class T, extent... E> class basic_tensor {
  static_assert(is_element_type<T>,
                "tenon: tensor: this element type is not supported; use bool, an integer, a "
                "float8 or half type, float or double");
  static_assert(!std::is_const_v<T>,
                "tenon: tensor: a tensor owns what it may write; use a view of T const");
  using axes = detail::axes<E...>;

 public:
  using space = Space;
  using element_type = T;
  using value_type = T;
  using extent_array = typename axes::extent_array;
  using view_type = basic_view<Space, T, E...>;
  using const_view_type = basic_view<Space, T const, E...>;
  static constexpr int rank = axes::rank;
  static constexpr int run_time_rank = axes::run_time_rank;
  static constexpr std::array<tenon::extent, sizeof...(E)> static_extents = axes::list;

  // The run-time and named extents, in order:
  //   tn::tensor<float, "B", 512> rows(batch);
  template <class... Extents>
  requires(detail::are_extents<Extents...>) explicit(sizeof...(Extents) > 0)
      basic_tensor(Extents... run_time_extents)
      : basic_tensor(stream{}, run_time_extents...) {}

  // The same, allocated in the order of a stream.
  template <class... Extents>
  requires(detail::are_extents<Extents...>) explicit basic_tensor(stream on,
                                                                  Extents... run_time_extents)
      : basic_tensor(axes::complete("tensor", counted(run_time_extents...), element_bytes), on,
                     unchecked{}) {}

  // A copy of host values in row-major order:
  //   tn::tensor<float, tn::dyn, tn::dyn> x(std::vector<float>{1, 2, 3, 4, 5, 6}, 2, 3);
  template <class Range, class... Extents>
  requires(detail::are_extents<Extents...>&& detail::memory_range<
           Range const, T const>) explicit basic_tensor(Range const& values,
                                                        Extents... run_time_extents)
      : basic_tensor(run_time_extents...) {
    assign_host(std::data(values), static_cast<std::int64_t>(std::size(values)));
  }

  // All extents, the static ones too, which are checked.
  static basic_tensor with_extents(extent_array const& extents, stream on = {}) {
    axes::check("tensor", extents, element_bytes);
    return basic_tensor(extents, on, unchecked{});
  }

  basic_tensor(basic_tensor const&) = delete;
  basic_tensor& operator=(basic_tensor const&) = delete;
  basic_tensor(basic_tensor&&) noexcept = default;
  basic_tensor& operator=(basic_tensor&&) noexcept = default;
  ~basic_tensor() = default;

  // Evaluates a statement-form expression into this tensor, in one launch.
  template <class Expression>
  requires is_expression<Expression> basic_tensor& operator=(Expression const& expression) {
    assign(*this, expression);
    return *this;
  }

  view_type view() { return view_type::row_major(data(), extents_); }
  const_view_type view() const { return const_view_type::row_major(data(), extents_); }
  operator view_type() { return view(); }
  operator const_view_type() const { return view(); }

  T* data() { return static_cast<T*>(memory_.data()); }
  T const* data() const { return static_cast<T const*>(memory_.data()); }
  std::int64_t extent(int axis) const { return extents_[axis]; }
  extent_array const& extents() const { return extents_; }
  std::int64_t size() const {
    std::int64_t product = 1;
    for (std::int64_t length : extents_) product *= length;
    return product;
  }
  tenon::layout layout() const { return row_major(array_view<std::int64_t const>(extents_)); }
  stream on() const { return memory_.block().on; }

  // The value of a tensor of rank 0; waits for the stream when the memory is cuda.
  T item() const { return item(on()); }
  T item(stream after) const {
    static_assert(
        rank == 0,
        "tenon: item: the tensor has axes; take one element with tn::to_vector or a slice");
    T value;
    space_traits<Space>::read(&value, data(), sizeof(T), after);
    return value;
  }

  basic_tensor clone() const { return clone(on()); }
  basic_tensor clone(stream on) const {
    basic_tensor result(extents_, on, unchecked{});
    space_traits<Space>::copy(result.data(), data(), memory_.block().bytes, on);
    return result;
  }

  template <class... Index>
  requires(detail::are_extents<Index...>) T& operator()(Index... index) { return view()(index...); }
  template <class... Index>
  requires(detail::are_extents<Index...>) T const& operator()(Index... index) const {
    return view()(index...);
  }

 private:
  struct unchecked {};
  static constexpr int element_bytes = size_of(dtype_of<T>);

  basic_tensor(extent_array const& extents, stream on, unchecked)
      : extents_(extents), memory_(static_cast<std::size_t>(size() * element_bytes), on) {}

  template <class... Extents>
  static typename axes::run_time_array counted(Extents... run_time_extents) {
    static_assert(
        sizeof...(Extents) == run_time_rank,
        "tenon: tensor: wrong number of extents; give those that are tn::dyn or named, in order");
    if constexpr (sizeof...(Extents) == run_time_rank)
      return {static_cast<std::int64_t>(run_time_extents)...};
    else
      return {};
  }

  void assign_host(T const* values, std::int64_t count) {
    if (count != size())
      raise({.operation = "tensor",
             .problem =
                 to_string(count) + " values do not fill extents " + axes::text_of(extents_),
             .remedy = "give as many values as the extents multiply to",
             .shapes = axes::text_of(extents_)});
    space_traits<Space>::write(data(), values, memory_.block().bytes, on());
  }

  extent_array extents_;
  memory<Space> memory_;
};

// A tensor in the default space: tn::tensor<__nv_bfloat16, "B", "T", 512>.
template <class T, extent... E> using tensor = basic_tensor<default_space, T, E...>;

}  // namespace tenon
