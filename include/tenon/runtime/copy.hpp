// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies between views of any space and strides, and the conversions made of them: to<Space>,
// to_vector.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tenon/capture/refused.hpp"
#include "tenon/core/std_vector.hpp"
#include "tenon/runtime/copy_cuda.hpp"
#include "tenon/runtime/memory_cuda.hpp"
#include "tenon/tensor/tensor.hpp"

namespace tenon {
namespace detail {

// Elements of one layout to those of another, inside one space.
// @pre equal extents; the memory of the two does not overlap
template <> struct strided_copy<cpu> {
  template <int Bytes>
  static void run(void* target, layout const& to, void const* source, layout const& from, stream) {
    int const inner = to.rank - 1;
    std::int64_t const length = inner < 0 ? 1 : to.extents[inner];
    std::int64_t const to_step = inner < 0 ? 0 : to.strides[inner] * Bytes;
    std::int64_t const from_step = inner < 0 ? 0 : from.strides[inner] * Bytes;
    std::int64_t const rows = size(to) / length;  // not empty: the caller checked
    std::int64_t index[max_rank] = {};
    std::int64_t to_offset = to.offset, from_offset = from.offset;
    for (std::int64_t row = 0; row < rows; ++row) {
      char* out = static_cast<char*>(target) + to_offset * Bytes;
      char const* in = static_cast<char const*>(source) + from_offset * Bytes;
      for (std::int64_t i = 0; i < length; ++i)
        std::memcpy(out + i * to_step, in + i * from_step, Bytes);
      for (int axis = inner - 1; axis >= 0; --axis) {
        to_offset += to.strides[axis];
        from_offset += from.strides[axis];
        if (++index[axis] < to.extents[axis]) break;
        index[axis] = 0;
        to_offset -= to.strides[axis] * to.extents[axis];
        from_offset -= from.strides[axis] * from.extents[axis];
      }
    }
  }
};

template <class TargetSpace, class SourceSpace>
void copy_bytes(void* target, void const* source, std::size_t bytes, stream on) {
  if constexpr (std::is_same_v<TargetSpace, SourceSpace>)
    space_traits<TargetSpace>::copy(target, source, bytes, on);
  else if constexpr (std::is_same_v<TargetSpace, cpu>)
    space_traits<SourceSpace>::read(target, source, bytes, on);
  else
    space_traits<TargetSpace>::write(target, source, bytes, on);
}

inline bool overlap(void const* a, layout const& layout_a, void const* b, layout const& layout_b,
                    int element_bytes) {
  auto address = [element_bytes](void const* base, std::int64_t offset) {
    return reinterpret_cast<std::uintptr_t>(base) +
           static_cast<std::uintptr_t>(offset * element_bytes);
  };
  offset_range const in_a = touched(layout_a), in_b = touched(layout_b);
  return address(a, in_a.first) < address(b, in_b.last + 1) &&
         address(b, in_b.first) < address(a, in_a.last + 1);
}

// @pre equal extents with at least one element
template <class TargetSpace, class SourceSpace, int Bytes>
void copy_elements(void* target, layout const& to, void const* source, layout const& from,
                   stream on) {
  std::size_t const bytes = static_cast<std::size_t>(size(to) * Bytes);
  layout const packed = row_major(extents_of(to));
  constexpr bool is_one_space = std::is_same_v<TargetSpace, SourceSpace>;
  bool const overlaps = is_one_space && overlap(target, to, source, from, Bytes);
  if (!overlaps && is_contiguous(to) && is_contiguous(from))
    return copy_bytes<TargetSpace, SourceSpace>(target, source, bytes, on);
  if (!overlaps && is_one_space)
    return strided_copy<TargetSpace>::template run<Bytes>(target, to, source, from, on);
  // Through contiguous memory: packed beside the source when it is strided or in the way, else
  // beside the target.
  if (overlaps || !is_contiguous(from)) {
    memory<SourceSpace> staging(bytes, on);
    strided_copy<SourceSpace>::template run<Bytes>(staging.data(), packed, source, from, on);
    return copy_elements<TargetSpace, SourceSpace, Bytes>(target, to, staging.data(), packed, on);
  }
  memory<TargetSpace> staging(bytes, on);
  copy_bytes<TargetSpace, SourceSpace>(staging.data(), source, bytes, on);
  strided_copy<TargetSpace>::template run<Bytes>(target, to, staging.data(), packed, on);
}

template <class Space, class T, extent... E>
basic_view<Space, T, E...> const& as_view(basic_view<Space, T, E...> const& view) {
  return view;
}
template <class Space, class T, extent... E>
basic_view<Space, T, E...> as_view(basic_tensor<Space, T, E...>& tensor) {
  return tensor.view();
}
template <class Space, class T, extent... E>
basic_view<Space, T const, E...> as_view(basic_tensor<Space, T, E...> const& tensor) {
  return tensor.view();
}

template <class TargetSpace, class T, extent... E, class SourceSpace, class U, extent... F>
void copy_views(basic_view<TargetSpace, T, E...> const& target,
                basic_view<SourceSpace, U, F...> const& source, stream on) {
  static_assert(
      !std::is_const_v<T>,
      "tenon: copy: the target is a view of const elements; give a view that may be written");
  static_assert(tenon::dtype_of<T> == tenon::dtype_of<U>,
                "tenon: copy: target and source have different element types; convert with "
                "tn::cast in an expression");
  static_assert(sizeof...(E) == sizeof...(F),
                "tenon: copy: target and source have different ranks; give views of one rank");
  if constexpr (sizeof...(E) == sizeof...(F) && !std::is_const_v<T>) {
    layout const to = target.layout(), from = source.layout();
    if (extents_of(to) != extents_of(from))
      raise({.operation = "copy",
             .problem =
                 "the target has extents " + to_string(to) + " and the source " + to_string(from),
             .remedy = "give views of equal extents",
             .shapes = to_string(to) + " and " + to_string(from)});
    if (overlaps_itself(to))
      raise({.operation = "copy",
             .problem = "elements of the target share memory, extents " + to_string(to),
             .remedy = "write to a view without zero or overlapping strides",
             .shapes = to_string(to)});
    if (size(to) == 0) return;
    if (!target.data() || !source.data())
      raise({.operation = "copy",
             .problem =
                 text("the ") + (target.data() ? "source" : "target") + " is a null pointer",
             .remedy = "give views of allocated memory",
             .shapes = to_string(to)});
    constexpr int bytes = size_of(tenon::dtype_of<T>);
    copy_elements<TargetSpace, SourceSpace, bytes>(target.data(), to, source.data(), from, on);
  }
}

}  // namespace detail

// Copies elements between views or tensors of equal extents, in any spaces and with any strides. A
// copy that host memory takes part in is complete on return; one inside cuda memory is ordered by
// the stream.
//   tn::copy(x.view().sliced<0>(0, 10), y);
template <class Target, class Source>
void copy(Target&& target, Source const& source, stream on = {}) {
  detail::copy_views(detail::as_view(target), detail::as_view(source), on);
}

// The same elements in another space: `auto host = tn::to<tn::cpu>(x);`
template <class Space, class S, class T, extent... E>
basic_tensor<Space, std::remove_cv_t<T>, E...> to(basic_view<S, T, E...> const& source,
                                                  stream on = {}) {
  auto result = basic_tensor<Space, std::remove_cv_t<T>, E...>::with_extents(source.extents(), on);
  copy(result, source, on);
  return result;
}
template <class Space, class S, class T, extent... E>
basic_tensor<Space, T, E...> to(basic_tensor<S, T, E...> const& source) {
  return to<Space>(source.view(), source.on());
}
template <class Space, class S, class T, extent... E>
basic_tensor<Space, T, E...> to(basic_tensor<S, T, E...> const& source, stream on) {
  return to<Space>(source.view(), on);
}

// The elements in row-major order as a std::vector, whose header the caller includes.
template <class S, class T, extent... E>
auto to_vector(basic_view<S, T, E...> const& source, stream on = {}) {
  using result = detail::std_vector<std::remove_cv_t<T>>;
  static_assert(detail::is_defined<result>,
                "tenon: to_vector: std::vector is not defined here; include <vector>");
  if constexpr (detail::is_defined<result>) {
    auto const host = to<cpu>(source, on);
    return result(host.data(), host.data() + host.size());
  } else {
    return refused{};
  }
}
template <class S, class T, extent... E>
auto to_vector(basic_tensor<S, T, E...> const& source) {
  return to_vector(source.view(), source.on());
}

}  // namespace tenon
