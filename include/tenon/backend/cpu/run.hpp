// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program with its kernel family, bound to shapes and memory → the result, computed on the host.

#include "tenon/backend/cpu/across.hpp"
#include "tenon/backend/cpu/grid.hpp"
#include "tenon/backend/cpu/mixed.hpp"
#include "tenon/backend/cpu/planes.hpp"
#include "tenon/backend/cpu/scatter.hpp"
#include "tenon/schedule/list.hpp"

namespace tenon {
namespace cpu_backend {

// The skeleton that runs a family; a new family is one line here.
template <family const* Family> struct skeleton_of;
template <> struct skeleton_of<&schedules::transposed> { using type = across; };
template <> struct skeleton_of<&schedules::pointwise> { using type = flat; };
template <> struct skeleton_of<&schedules::full> { using type = flat; };
template <> struct skeleton_of<&schedules::column_groups> { using type = rows; };
template <> struct skeleton_of<&schedules::split_rows> { using type = rows; };
template <> struct skeleton_of<&schedules::rows> { using type = rows; };
template <> struct skeleton_of<&schedules::scan> { using type = rows; };
template <> struct skeleton_of<&schedules::sort> { using type = rows; };
template <> struct skeleton_of<&schedules::nested> { using type = rows; };
template <> struct skeleton_of<&schedules::planes> { using type = planes; };
template <> struct skeleton_of<&schedules::mixed> { using type = mixed; };
template <> struct skeleton_of<&schedules::grid> { using type = grid; };
template <> struct skeleton_of<&schedules::levels> { using type = grid; };
template <> struct skeleton_of<&schedules::scatter> { using type = scattered; };

}  // namespace cpu_backend

// @pre the addresses are valid for the layout; operands overlap only where they are the same
// element of the same position
// @post every output is written; its bits do not depend on the number of threads, on strides or on
// how axes were merged
template <class Program, family const* Family>
void run_on_cpu(bound_layout const& layout, bound_arguments const& arguments) {
  cpu_backend::skeleton_of<Family>::type::run(cpu_backend::call<Program>(layout, arguments));
  cpu_backend::finish_streamed_stores();
}

}  // namespace tenon
