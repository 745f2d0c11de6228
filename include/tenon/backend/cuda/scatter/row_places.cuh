// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which rows a block has: in each step one of each of its teams.

#include "tenon/backend/cuda/scatter/listed_arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Neighbouring rows are several blocks', for many updates often name neighbours: only as many as a
// warp or two store at once are a unit, which one group of blocks has in a turn.
struct row_places {
  scatter_shares const& shares;
  unsigned const group;

  __device__ __forceinline__ long long target_at(int step, int team) const {
    unsigned const turn = static_cast<unsigned>(step) << shares.log_far |
                          static_cast<unsigned>(team) >> shares.log_near,
                   unit = turn * shares.groups + unit_in(turn);
    return static_cast<long long>(unit) << shares.log_near | (team & shares.last_near);
  }
  // Of a target that has a row; of others whatever comes out.
  struct place {
    int step, team;
    bool is_own;
  };
  __device__ __forceinline__ place of(long long target) const {
    unsigned const unit = static_cast<unsigned>(target >> shares.log_near),
                   turn = shares.by_groups.quotient(unit);
    return {static_cast<int>(turn >> shares.log_far),
            (static_cast<int>(turn) & shares.last_far) << shares.log_near |
                (static_cast<int>(target) & shares.last_near),
            unit - turn * shares.groups == unit_in(turn)};
  }

 private:
  // Which of the units of a turn is this group's: another in each, so that rows at a distance are
  // not all one group's.
  __device__ __forceinline__ unsigned unit_in(unsigned turn) const {
    unsigned const turned = group + __umulhi(turn * 0x9e3779b1u, shares.groups);
    return turned >= shares.groups ? turned - shares.groups : turned;
  }
};

}  // namespace tenon::detail
#endif
