// SPDX-License-Identifier: Apache-2.0
// Accuracy of every unary function at every value of f32, f16 and bf16, and of sums: a JSON file.
//
//   accuracy [--step N] [--out FILE]     N > 1 takes every N-th value of f32 (a check of minutes on a CPU)

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sums.hpp"

namespace {

using namespace accuracy;

void write(std::FILE* out, row const& r, bool is_last) {
  std::fprintf(out,
               "  {\"function\": \"%.*s\", \"dtype\": \"%.*s\", \"max_ulp\": %.3f, \"from_nearest_ulp\": %g, \"worst_input\": "
               "\"0x%0*x\", \"not_nearest\": %.6f, \"class_faults\": %.0f, \"inputs\": %.0f, \"bound_ulp\": %g, \"cuda_ulp\": %g, "
               "\"within\": %s}%s\n",
               static_cast<int>(r.function.size()), r.function.data(), static_cast<int>(tn::name(r.type).size()),
               tn::name(r.type).data(), r.max_ulp, r.from_nearest_ulp, 2 * tn::size_of(r.type), r.worst_bits,
               r.not_nearest / r.inputs, r.class_faults, r.inputs, r.bound_ulp, r.cuda_ulp, r.is_within() ? "true" : "false",
               is_last ? "" : ",");
}
void write(std::FILE* out, sum_row const& r, bool is_last) {
  std::fprintf(out, "  {\"count\": %lld, \"values\": \"%s\", \"error_of_bound\": %.4f, \"within\": %s}%s\n",
               static_cast<long long>(r.count), r.values, r.error_of_bound, r.error_of_bound <= 1 ? "true" : "false",
               is_last ? "" : ",");
}

std::string device_name() {
#if defined(__CUDACC__)
  cudaDeviceProp properties;
  return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "no device";
#else
  return "CPU backend";
#endif
}

}  // namespace

int main(int argc, char** argv) {
  options how;
  char const* path = nullptr;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (!std::strcmp(argv[k], "--step")) how.step = static_cast<std::uint32_t>(std::atol(argv[k + 1]));
    if (!std::strcmp(argv[k], "--out")) path = argv[k + 1];
  }
  std::FILE* out = path ? std::fopen(path, "w") : stdout;
  if (!out || how.step == 0 || argc % 2 == 0) {
    std::fputs("usage: accuracy [--step N] [--out FILE]\n", stderr);
    return 2;
  }

  std::vector<row> rows;
  for (group const* g = group::first; g; g = g->next) g->run(how, rows);
  std::vector<sum_row> const sums = measure_sums();

  bool is_within = true;
  std::fprintf(out, "{\"header\": {\"device\": \"%s\", \"step\": %u},\n\"rows\": [\n", device_name().c_str(), how.step);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    write(out, rows[k], k + 1 == rows.size());
    is_within &= rows[k].is_within();
    if (!rows[k].is_within())
      std::fprintf(stderr, "%.*s of %.*s: %.3f ulp, %g from the nearest, %.0f of another class; allowed are %g, of CUDA %g\n",
                   static_cast<int>(rows[k].function.size()), rows[k].function.data(),
                   static_cast<int>(tn::name(rows[k].type).size()), tn::name(rows[k].type).data(), rows[k].max_ulp,
                   rows[k].from_nearest_ulp, rows[k].class_faults, rows[k].bound_ulp, rows[k].cuda_ulp);
  }
  std::fputs("],\n\"sums\": [\n", out);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    write(out, sums[k], k + 1 == sums.size());
    is_within &= sums[k].error_of_bound <= 1;
  }
  std::fputs("]}\n", out);
  if (path) std::fclose(out);
  return is_within ? 0 : 1;
}
