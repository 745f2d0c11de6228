// SPDX-License-Identifier: Apache-2.0
#pragma once
// A strided view of memory in some space: pointer, extents and strides, no ownership.

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tenon/tensor/axes.hpp"
#include "tenon/tensor/layout.hpp"
#include "tenon/tensor/slice.hpp"
#include "tenon/tensor/space.hpp"

namespace tenon {

// What may stand on the right of `z = ...`: a statement-form expression; `assign(target, expression)`
// evaluates it and is found by argument-dependent lookup.
template <class T> inline constexpr bool is_expression = false;

template <class Space, class T, extent... E> class basic_view {
  static_assert(is_element_type<T>,
                "tenon: view: this element type is not supported; use bool, an integer, a "
                "float8 or half type, float or double");
  using axes = detail::axes<E...>;

 public:
  using space = Space;
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using extent_array = typename axes::extent_array;
  static constexpr int rank = axes::rank;
  static constexpr int run_time_rank = axes::run_time_rank;
  static constexpr std::array<tenon::extent, sizeof...(E)> static_extents = axes::list;

  // Row-major memory; the run-time and named extents follow in order:
  //   tn::view<float const, "B", 512> rows(pointer, batch);
  template <class... Extents>
  requires(detail::are_extents<Extents...>) explicit basic_view(T* data,
                                                                Extents... run_time_extents)
      : basic_view(
            row_major(data, axes::complete("view", counted(run_time_extents...), element_bytes))) {}

  // Rank 1, from a span, a vector or an array in host memory.
  template <class Range>
  requires(rank == 1 && std::is_same_v<Space, cpu> && detail::memory_range<Range, T>)
      basic_view(Range&& range)
      : basic_view(with_extents(std::data(range), {static_cast<std::int64_t>(std::size(range))})) {
  }

  // Another view of the same elements whose extents in the type differ; implicit when no check is
  // needed.
  template <class U, extent... F>
  requires(sizeof...(F) == sizeof...(E) && std::is_same_v<std::remove_cv_t<U>, value_type> &&
           (std::is_same_v<U, T> ||
            std::is_const_v<T>)) explicit(!detail::always_fits<detail::axes<F...>, axes>())
      basic_view(basic_view<Space, U, F...> const& other)
      : basic_view(other.data(), other.extents(), other.strides(), unchecked{}) {
    if constexpr (!detail::always_fits<detail::axes<F...>, axes>())
      axes::check("view", extents_, element_bytes);
  }

  // All extents, the static ones too, which are checked.
  static basic_view with_extents(T* data, extent_array const& extents) {
    axes::check("view", extents, element_bytes);
    return row_major(data, extents);
  }
  // Strides in elements; negative and 0 are legal.
  static basic_view with_strides(T* data, extent_array const& extents,
                                 extent_array const& strides) {
    axes::check("view", extents, element_bytes);
    axes::check_reach("view", extents, strides, element_bytes);
    return basic_view(data, extents, strides, unchecked{});
  }

  T* data() const { return data_; }
  std::int64_t extent(int axis) const { return extents_[axis]; }
  std::int64_t stride(int axis) const { return strides_[axis]; }
  extent_array const& extents() const { return extents_; }
  extent_array const& strides() const { return strides_; }
  std::int64_t size() const {
    std::int64_t product = 1;  // cannot overflow: the constructor checked it
    for (std::int64_t length : extents_) product *= length;
    return product;
  }
  tenon::layout layout() const {
    tenon::layout result{.rank = rank};
    for (int i = 0; i < rank; ++i) {
      result.extents[i] = extents_[i];
      result.strides[i] = strides_[i];
    }
    return result;
  }
  bool is_contiguous() const { return tenon::is_contiguous(layout()); }

  // Axis i of the result is axis Axes[i] of this view.
  template <int... Axes> auto permuted() const {
    static_assert(sizeof...(Axes) == sizeof...(E) && is_permutation<Axes...>(),
                  "tenon: permuted: the axes are not each axis once; axes are 0 to rank-1");
    return basic_view<Space, T, axes::list[Axes]...>::with_strides(data_, {extents_[Axes]...},
                                                                   {strides_[Axes]...});
  }

  // Some positions of one axis, as Python's [start:stop:step], where tn::end stands for a bound
  // that is left out; the axis becomes tn::dyn in the type.
  template <int Axis>
  auto sliced(std::int64_t start, std::int64_t stop, std::int64_t step = 1) const {
    static_assert(Axis >= -rank && Axis < rank,
                  "tenon: sliced: axis out of range; axes are -rank to rank-1");
    if (step == 0)
      raise({.operation = "sliced",
             .problem = "the step is 0",
             .remedy = "use a positive or negative step"});
    constexpr int axis = Axis < 0 ? Axis + rank : Axis;
    detail::axis_range const range = detail::resolve_range(extents_[axis], start, stop, step);
    extent_array extents = extents_, strides = strides_;
    T* const first = detail::advance(data_, range.start * strides_[axis]);
    extents[axis] = range.count;
    strides[axis] *= range.step;
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return basic_view<Space, T, (I == axis ? dyn : axes::list[I])...>::with_strides(
          first, extents, strides);
    }
    (std::make_integer_sequence<int, rank>{});
  }

  // One element, checked. For loops over many elements use data() and strides().
  template <class... Index>
  requires(detail::are_extents<Index...>) T& operator()(Index... index) const {
    static_assert(std::is_same_v<Space, cpu>,
                  "tenon: view: elements of cuda memory are not reachable from the host; copy with "
                  "tn::to<tn::cpu>");
    static_assert(sizeof...(Index) == sizeof...(E),
                  "tenon: view: wrong number of indexes; give one for each axis");
    extent_array const at{static_cast<std::int64_t>(index)...};
    std::int64_t offset = 0;
    for (int i = 0; i < rank; ++i) {
      if (at[i] < 0 || at[i] >= extents_[i]) index_error(at);
      offset += at[i] * strides_[i];
    }
    return *detail::advance(data_, offset);
  }

  // Evaluates a statement-form expression into the viewed memory, in one launch.
  template <class Expression>
  requires is_expression<Expression> basic_view const& operator=(
      Expression const& expression) const {
    assign(*this, expression);
    return *this;
  }

 private:
  template <class, class U, tenon::extent... F> friend class basic_view;
  friend class basic_tensor<Space, value_type, E...>;
  struct unchecked {};
  static constexpr int element_bytes = size_of(dtype_of<T>);

  basic_view(T* data, extent_array const& extents, extent_array const& strides, unchecked)
      : data_(data), extents_(extents), strides_(strides) {}

  static basic_view row_major(T* data, extent_array const& extents) {
    tenon::layout const fresh = tenon::row_major(array_view<std::int64_t const>(extents));
    extent_array strides{};
    for (int i = 0; i < rank; ++i) strides[i] = fresh.strides[i];
    return basic_view(data, extents, strides, unchecked{});
  }

  template <class... Extents>
  static typename axes::run_time_array counted(Extents... run_time_extents) {
    static_assert(
        sizeof...(Extents) == run_time_rank,
        "tenon: view: wrong number of extents; give those that are tn::dyn or named, in order");
    if constexpr (sizeof...(Extents) == run_time_rank)
      return {static_cast<std::int64_t>(run_time_extents)...};
    else
      return {};
  }

  template <int... Axes> static consteval bool is_permutation() {
    unsigned seen = 0;
    ((seen |= Axes >= 0 && Axes < rank ? 1u << Axes : 0u), ...);
    return seen == (1u << rank) - 1;
  }

  [[noreturn]] void index_error(extent_array const& at) const {
    raise({.operation = "view",
           .problem =
               "index " + axes::text_of(at) + " is outside of extents " + axes::text_of(extents_),
           .remedy = "indexes are 0 to extent-1",
           .shapes = axes::text_of(extents_)});
  }

  T* data_;
  extent_array extents_;
  extent_array strides_;
};

// A view in the default space: tn::view<float const, "B", 512>.
template <class T, extent... E> using view = basic_view<default_space, T, E...>;

}  // namespace tenon
