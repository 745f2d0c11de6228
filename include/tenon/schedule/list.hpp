// SPDX-License-Identifier: Apache-2.0
#pragma once
// All kernel families, in order of preference: the first that accepts an expression runs it.

#include "tenon/schedule/column_groups.hpp"
#include "tenon/schedule/full.hpp"
#include "tenon/schedule/grid.hpp"
#include "tenon/schedule/levels.hpp"
#include "tenon/schedule/mixed.hpp"
#include "tenon/schedule/nested.hpp"
#include "tenon/schedule/planes.hpp"
#include "tenon/schedule/pointwise.hpp"
#include "tenon/schedule/rows.hpp"
#include "tenon/schedule/scan.hpp"
#include "tenon/schedule/scatter.hpp"
#include "tenon/schedule/split_rows.hpp"
#include "tenon/schedule/transposed.hpp"

namespace tenon::schedules {

// The cheapest frame comes first. Families that sweep the space in other ways have their place
// here: columns before rows (it reads row-major data along the kept axis), then mixed (rows and
// columns in one sweep), scan and contraction.
inline constexpr family const* list[] = {
    &transposed, &pointwise, &full, &column_groups, &split_rows, &rows, &nested,
    &planes,     &mixed,     &grid, &levels,        &scan,       &sort, &scatter};

}  // namespace tenon::schedules
