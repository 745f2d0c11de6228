// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ordered list of passes, and why this order.

#include "tenon/ir/verify.hpp"
#include "tenon/passes/canonical_order.hpp"
#include "tenon/passes/dead_nodes.hpp"
#include "tenon/passes/find_entropies.hpp"
#include "tenon/passes/find_moments.hpp"
#include "tenon/passes/fold.hpp"
#include "tenon/passes/merge_reductions.hpp"
#include "tenon/passes/movement.hpp"
#include "tenon/passes/simplify.hpp"
#include "tenon/passes/unify_dims.hpp"

namespace tenon::passes {

struct pass {
  text_view name;
  graph (*run)(graph const&);
};

inline constexpr pass pipeline[] = {
    // What the broadcasts of the whole expression taught about lengths holds from its first node
    // on.
    {"unify_dims", [](graph const& g) { return unify_dims(g); }},
    // While a mean is a sum over a count, and what it is repeated for is not moved.
    {"find_moments", find_moments},
    // Before anything looks at node numbers: they must not depend on the order in which operands
    // were evaluated.
    {"canonical_order", canonical_order},
    // Literals next: a folded literal makes more rules match.
    {"fold", fold},
    {"simplify", simplify},
    // Behind the rules, which leave one form of each; while what a row has is repeated for its
    // elements as it was written.
    {"find_entropies", find_entropies},
    // Views move to the arguments once the arithmetic is small; what they were applied to may now
    // be one node again.
    {"movement", [](graph const& g) { return movement(g); }},
    // Reductions meet only when no view is left between them.
    {"merge_reductions", merge_reductions},
    // Everything above leaves what it replaced behind.
    {"dead_nodes", dead_nodes},
};

// Calls after(pass name, graph) after every pass.
// @pre verify(g) == nullptr. @post verify(result) == nullptr after every pass that was not refused
template <class After> constexpr graph run(graph g, After const& after) {
  for (pass const& p : pipeline) {
    if (g.refused != refusal::none) break;
    g = p.run(g);
    after(p.name, g);
  }
  return g;
}
constexpr graph run(graph g) {
  return run(std::move(g), [](text_view, graph const&) {});
}

}  // namespace tenon::passes
