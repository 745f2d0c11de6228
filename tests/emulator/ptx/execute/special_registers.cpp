// SPDX-License-Identifier: Apache-2.0
// Special registers by their names, and their values.

#include <chrono>
#include <string>
#include <unordered_map>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/control.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "settings.hpp"

namespace emulator {

enum special {
  sp_tid_x,
  sp_tid_y,
  sp_tid_z,
  sp_ntid_x,
  sp_ntid_y,
  sp_ntid_z,
  sp_ctaid_x,
  sp_ctaid_y,
  sp_ctaid_z,
  sp_nctaid_x,
  sp_nctaid_y,
  sp_nctaid_z,
  sp_laneid,
  sp_warpid,
  sp_nwarpid,
  sp_smid,
  sp_nsmid,
  sp_gridid,
  sp_clock,
  sp_clock_hi,
  sp_clock64,
  sp_globaltimer,
  sp_globaltimer_lo,
  sp_globaltimer_hi,
  sp_mask_eq,
  sp_mask_le,
  sp_mask_lt,
  sp_mask_ge,
  sp_mask_gt,
  sp_clusterid_x,
  sp_clusterid_y,
  sp_clusterid_z,
  sp_nclusterid_x,
  sp_nclusterid_y,
  sp_nclusterid_z,
  sp_cluster_ctaid_x,
  sp_cluster_ctaid_y,
  sp_cluster_ctaid_z,
  sp_cluster_nctaid_x,
  sp_cluster_nctaid_y,
  sp_cluster_nctaid_z,
  sp_cluster_ctarank,
  sp_cluster_nctarank,
  sp_is_explicit,
  sp_dynamic,
  sp_total,
  sp_aggr,
  sp_reserved_end,
  sp_reserved_1,
  sp_zero
};
int special_named(std::string const& name, unsigned& bytes) {
  static const std::unordered_map<std::string, int> known = {
      {"%tid.x", sp_tid_x},
      {"%tid.y", sp_tid_y},
      {"%tid.z", sp_tid_z},
      {"%ntid.x", sp_ntid_x},
      {"%ntid.y", sp_ntid_y},
      {"%ntid.z", sp_ntid_z},
      {"%ctaid.x", sp_ctaid_x},
      {"%ctaid.y", sp_ctaid_y},
      {"%ctaid.z", sp_ctaid_z},
      {"%nctaid.x", sp_nctaid_x},
      {"%nctaid.y", sp_nctaid_y},
      {"%nctaid.z", sp_nctaid_z},
      {"%laneid", sp_laneid},
      {"%warpid", sp_warpid},
      {"%nwarpid", sp_nwarpid},
      {"%smid", sp_smid},
      {"%nsmid", sp_nsmid},
      {"%gridid", sp_gridid},
      {"%clock", sp_clock},
      {"%clock_hi", sp_clock_hi},
      {"%clock64", sp_clock64},
      {"%globaltimer", sp_globaltimer},
      {"%globaltimer_lo", sp_globaltimer_lo},
      {"%globaltimer_hi", sp_globaltimer_hi},
      {"%lanemask_eq", sp_mask_eq},
      {"%lanemask_le", sp_mask_le},
      {"%lanemask_lt", sp_mask_lt},
      {"%lanemask_ge", sp_mask_ge},
      {"%lanemask_gt", sp_mask_gt},
      {"%clusterid.x", sp_clusterid_x},
      {"%clusterid.y", sp_clusterid_y},
      {"%clusterid.z", sp_clusterid_z},
      {"%nclusterid.x", sp_nclusterid_x},
      {"%nclusterid.y", sp_nclusterid_y},
      {"%nclusterid.z", sp_nclusterid_z},
      {"%cluster_ctaid.x", sp_cluster_ctaid_x},
      {"%cluster_ctaid.y", sp_cluster_ctaid_y},
      {"%cluster_ctaid.z", sp_cluster_ctaid_z},
      {"%cluster_nctaid.x", sp_cluster_nctaid_x},
      {"%cluster_nctaid.y", sp_cluster_nctaid_y},
      {"%cluster_nctaid.z", sp_cluster_nctaid_z},
      {"%cluster_ctarank", sp_cluster_ctarank},
      {"%cluster_nctarank", sp_cluster_nctarank},
      {"%is_explicit_cluster", sp_is_explicit},
      {"%dynamic_smem_size", sp_dynamic},
      {"%total_smem_size", sp_total},
      {"%aggr_smem_size", sp_aggr},
      {"%reserved_smem_offset_begin", sp_zero},
      {"%reserved_smem_offset_end", sp_reserved_end},
      {"%reserved_smem_offset_cap", sp_reserved_end},
      {"%reserved_smem_offset_0", sp_zero},
      {"%reserved_smem_offset_1", sp_reserved_1},
      {"%envreg0", sp_zero},
      {"%envreg1", sp_zero},
      {"%envreg2", sp_zero}};
  auto f = known.find(name);
  if (f == known.end()) return -1;
  bytes = f->second == sp_clock64 || f->second == sp_globaltimer || f->second == sp_gridid ? 8
          : f->second == sp_is_explicit                                                    ? 0
                                                                                           : 4;
  return f->second;
}
void run_special(warp& w, instruction const& i) {
  block const& b = *w.of;
  grid_run const& g = *b.run;
  launch const& a = *g.what;
  int id = static_cast<int>(i.imm);
  auto all = [&](std::uint64_t v) {
    if (i.k == 8)
      each_lane(w.mask, [&](unsigned l) { row<std::uint64_t>(w, i.o[0])[l] = v; });
    else if (i.k == 0)
      set_predicate(w, i.o[0], v != 0 ? ~0u : 0);
    else if (w.mask == ~0u) {
      auto* d = row<std::uint32_t>(w, i.o[0]);
      for (int l = 0; l < 32; ++l) d[l] = static_cast<std::uint32_t>(v);
    } else
      each_lane(w.mask, [&](unsigned l) {
        row<std::uint32_t>(w, i.o[0])[l] = static_cast<std::uint32_t>(v);
      });
  };
  auto lanes = [&](auto f) {
    each_lane(w.mask, [&](unsigned l) { row<std::uint32_t>(w, i.o[0])[l] = f(l); });
  };
  auto now = [] {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
  };
  if (id <= sp_tid_z) return lanes([&](unsigned l) { return w.tid[id][l]; });
  if (id <= sp_ntid_z) return all(a.block[id - sp_ntid_x]);
  if (id <= sp_ctaid_z) return all(b.index[id - sp_ctaid_x]);
  if (id <= sp_nctaid_z) return all(a.grid[id - sp_nctaid_x]);
  if (id >= sp_clusterid_x && id <= sp_clusterid_z) return all(b.in->index[id - sp_clusterid_x]);
  if (id >= sp_nclusterid_x && id <= sp_nclusterid_z) return all(g.clusters[id - sp_nclusterid_x]);
  if (id >= sp_cluster_ctaid_x && id <= sp_cluster_ctaid_z) {
    unsigned x = b.rank % b.in->dim[0], y = b.rank / b.in->dim[0] % b.in->dim[1],
             z = b.rank / (b.in->dim[0] * b.in->dim[1]);
    return all(id == sp_cluster_ctaid_x ? x : id == sp_cluster_ctaid_y ? y : z);
  }
  if (id >= sp_cluster_nctaid_x && id <= sp_cluster_nctaid_z)
    return all(b.in->dim[id - sp_cluster_nctaid_x]);
  switch (id) {
    case sp_laneid:
      return lanes([](unsigned l) { return l; });
    case sp_warpid:
      return all(w.index);
    case sp_nwarpid:
      return all(b.warps.size());
    case sp_smid:
      return all(b.sm);
    case sp_nsmid:
      return all(options().multiprocessors);
    case sp_gridid:
      return all(g.number);
    case sp_clock:
    case sp_clock64:
      w.budget -= 20;
      return all(now());
    case sp_clock_hi:
      return all(now() >> 32);
    case sp_globaltimer:
    case sp_globaltimer_lo:
      w.budget -= 20;
      return all(now());
    case sp_globaltimer_hi:
      return all(now() >> 32);
    case sp_mask_eq:
      return lanes([](unsigned l) { return 1u << l; });
    case sp_mask_le:
      return lanes([](unsigned l) { return (2u << l) - 1; });
    case sp_mask_lt:
      return lanes([](unsigned l) { return (1u << l) - 1; });
    case sp_mask_ge:
      return lanes([](unsigned l) { return ~((1u << l) - 1); });
    case sp_mask_gt:
      return lanes([](unsigned l) { return ~((2u << l) - 1); });
    case sp_cluster_ctarank:
      return all(b.rank);
    case sp_cluster_nctarank:
      return all(b.in->blocks.size());
    case sp_is_explicit:
      return all(a.cluster[0] * a.cluster[1] * a.cluster[2] > 1);
    case sp_dynamic:
      return all(a.dynamic_shared_bytes);
    case sp_total:
    case sp_aggr:
      return all(g.shared_bytes);
    case sp_reserved_end:
      return all(1024);
    case sp_reserved_1:
      return all(512);
    default:
      return all(0);
  }
}

}  // namespace emulator
