// SPDX-License-Identifier: Apache-2.0
#pragma once
// A benchmark program: options → rows of results, as JSON lines.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/cuda_objects.cuh"
#include "harness/json.cuh"
#include "harness/timing.cuh"

namespace bench {

using shape = std::vector<long long>;

class session {
 public:
  // --out FILE appends there instead of printing; --filter TEXT keeps rows whose "workload shape
  // dtype" contains it;
  // --quick repeats less.
  session(int argc, char** argv) {
    for (int k = 1; k < argc; ++k) {
      std::string const option = argv[k];
      bool const has_value = k + 1 < argc;
      if (option == "--quick")
        effort_ = quick_effort;
      else if (option == "--filter" && has_value)
        filter_ = argv[++k];
      else if (option == "--out" && has_value)
        open(argv[++k]);
      else
        refuse(argv[0]);
    }
  }
  ~session() {
    if (out_ != stdout) std::fclose(out_);
  }
  session(session const&) = delete;
  session& operator=(session const&) = delete;

  cudaStream_t stream() const { return on_; }
  bench::effort const& effort() const { return effort_; }
  bool wants(std::string const& row) const { return row.find(filter_) != std::string::npos; }

  void write(json_object const& row) {
    std::fprintf(out_, "%s\n", row.text().c_str());
    std::fflush(out_);
  }
  void fail(std::string const& title, std::string const& why) {
    std::fprintf(stderr, "%s: %s\n", title.c_str(), why.c_str());
    has_failed_ = true;
  }
  int exit_code() const { return has_failed_ ? 1 : 0; }

 private:
  void open(char const* path) {
    out_ = std::fopen(path, "a");
    if (out_) return;
    std::fprintf(stderr, "%s: cannot be written\n", path);
    std::exit(2);
  }
  [[noreturn]] static void refuse(char const* program) {
    std::fprintf(stderr, "usage: %s [--filter TEXT] [--out FILE] [--quick]\n", program);
    std::exit(2);
  }

  // The first member, so that a machine without a device is told before anything is asked of one.
  static int required_devices() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return count;
    std::fprintf(stderr, "no CUDA device: %s\n", cudaGetErrorString(status));
    std::exit(2);
  }

  int devices_ = required_devices();
  owned_stream on_;
  bench::effort effort_;
  std::string filter_;
  std::FILE* out_ = stdout;
  bool has_failed_ = false;
};

}  // namespace bench
