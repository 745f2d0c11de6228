// SPDX-License-Identifier: Apache-2.0
#pragma once
// A benchmark program: options → ceilings and rows of results, as JSON lines.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "harness/ceilings.cuh"
#include "harness/device_facts.cuh"
#include "harness/reference.cuh"
#include "tenon/core/half.hpp"
#include "tenon/tensor/stream.hpp"

namespace bench {

template <class T> inline constexpr char const* dtype_name = "f32";
template <> inline constexpr char const* dtype_name<tenon::bfloat16> = "bf16";
template <> inline constexpr char const* dtype_name<tenon::half> = "f16";

using shape = std::vector<long long>;

// What one row measures. The byte model counts each input element and each output element once;
// vectors of weights, which stay in caches, are left out.
struct workload {
  char const* name;
  bench::shape shape;
  char const* dtype;
  bench::arrays arrays;  // the inputs, then the outputs
  long long bytes_moved;
  timing how = timing::steady;

  // A larger relative error makes the program fail. Half types: three roundings to 8 bits.
  double tolerance() const { return dtype == std::string("f32") ? 1e-4 : 6e-3; }
};

inline std::string text_of(shape const& extents) {
  std::string text;
  for (long long extent : extents) {
    if (!text.empty()) text += 'x';
    text += std::to_string(extent);
  }
  return text;
}

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

  // launch(buffers, stream) makes one call; verify(buffers, checker) adds every output's error to
  // the checker.
  template <class Launch, class Verify>
  void measure(workload const& w, Launch const& launch, Verify const& verify) {
    std::string const title = std::string(w.name) + " " + text_of(w.shape) + " " + w.dtype;
    if (!wants(title)) return;
    try {
      measure_row(w, title, launch, verify);
    } catch (std::exception const& fault) {
      fail(title, fault.what());
    }
  }

  // A row that is not a workload: its own members beside the provider's.
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
  template <class Launch, class Verify>
  void measure_row(workload const& w, std::string const& title, Launch const& launch,
                   Verify const& verify) {
    ceilings const& limits = measured_ceilings();
    buffer_sets sets(w.arrays, on_);
    int outputs = 0;
    for (array_spec const& array : w.arrays) outputs += array.fill == nullptr;
    auto call = [&](int k, cudaStream_t on) { launch(sets[k], tenon::stream(on)); };

    checker check(on_);
    call(0, on_);  // loads the kernel, makes the plan and the workspace
    verify(sets[0], check);
    double error = check.max_relative_error(outputs);
    captured_graph one_call(on_, [&] { call(0, on_); });
    measurement const time = time_calls(call, sets.count(), on_, w.how, effort_);
    // Set 1 was written by timed calls only: they were right too.
    verify(sets[1], check);
    double timed_error = check.max_relative_error(outputs);
    if (!(timed_error <= error)) error = timed_error;

    double const gbs = static_cast<double>(w.bytes_moved) / time.median_us * 1e-3;
    json_object row;
    row.add("workload", w.name)
        .add("shape", w.shape)
        .add("dtype", w.dtype)
        .add("provider", "tenon");
    row.add("us", time.median_us).add("us_p10", time.p10_us).add("us_p90", time.p90_us);
    row.add("gbs", gbs)
        .add("of_copy", gbs / limits.best_copy_gbs())
        .add("launches", one_call.kernel_count());
    if (one_call.other_count()) row.add("copies_and_fills", one_call.other_count());
    row.add("max_rel_err", error).add("timing", name_of(w.how));
    write(row);
    if (!(error <= w.tolerance())) fail(title, "the relative error is " + std::to_string(error));
  }

  // Measured once, before the first row.
  ceilings const& measured_ceilings() {
    if (!ceilings_) {
      ceilings_ = measure_ceilings(on_, effort_);
      write(json_object().add(
          "header", json_object().add("tenon", device_facts().add("ceilings", ceilings_->json()))));
    }
    return *ceilings_;
  }

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
  std::optional<ceilings> ceilings_;
  bool has_failed_ = false;
};

}  // namespace bench
