// SPDX-License-Identifier: Apache-2.0
#pragma once
// A list of types: the only type-level container; the operator tables are made of it.

namespace tenon {

template <class... Types> struct type_list { static constexpr int size = sizeof...(Types); };

}  // namespace tenon
