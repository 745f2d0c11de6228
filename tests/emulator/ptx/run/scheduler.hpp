// SPDX-License-Identifier: Apache-2.0
#pragma once
// A queue of launches on a device: which blocks are resident, and whose turn it is.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ptx/machine.hpp"
#include "settings.hpp"

namespace emulator {

class scheduler {
 public:
  explicit scheduler(std::vector<launch>& q) : queue(q), sms(options().multiprocessors) {}
  ~scheduler();
  // Throws fault.
  void run();
  bool has_ended_before(grid_run const& g) const { return g.number <= front; }

 private:
  struct multiprocessor {
    unsigned threads = 0, blocks = 0;
    std::size_t shared = 0;
  };

  // placement.cpp
  void begin(std::size_t n);
  bool place(grid_run& g);
  int room(grid_run const& g) const;
  void take(grid_run& g, int s, int sign);
  void set_up(block& b, grid_run& g);
  void set_up(warp& w, block& b, unsigned index);
  void finish(block& b);
  void give_back(std::size_t n);

  // turns.cpp: true when something was done
  bool turn(warp& w, std::int64_t instructions_left);
  bool turn(block& b, int rounds);
  bool step(std::size_t n);

  // run.cpp
  bool may_begin() const;
  bool begin_what_may();
  bool place_new_blocks(bool& is_placed);
  bool end_what_is_over();
  [[noreturn]] void stuck(std::string const& why) const;

  std::vector<launch>& queue;
  std::vector<std::unique_ptr<grid_run>> runs;  // that have begun
  std::size_t front = 0;                        // first that is not complete
  std::vector<multiprocessor> sms;
  std::vector<std::unique_ptr<cluster>> resident;
  std::vector<int> free_slots;
  unsigned slots_used = 0;
  std::uint64_t instructions = 0;
};

}  // namespace emulator
