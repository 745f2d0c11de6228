// SPDX-License-Identifier: Apache-2.0
// What a warm call costs the host beside a bare launch.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "harness/buffers.cuh"
#include "harness/session.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

using vector = tn::view<float, tn::dyn>;
using const_vector = tn::view<float const, tn::dyn>;

__global__ void bare_kernel(float4 const* x, float4 const* y, float4* out, int words) {
  int const k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= words) return;
  auto const f = [](float u, float v) { return fmaxf((u + v) * 2, 0.0f); };
  float4 const a = x[k], b = y[k];
  out[k] = make_float4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// One kind of call. @pre it only queues
struct contender {
  char const* workload;
  char const* provider;
  std::function<void()> call;
  std::vector<double> us = {};
};

// Host time per call, in batches that the launch queue holds; the contenders take turns, so that
// the clock of the host is the same for all.
void race(std::vector<contender>& contenders, cudaStream_t on, int batches) {
  static constexpr int calls = 200;
  for (int batch = -10; batch < batches; ++batch)
    for (contender& one : contenders) {
      double const begin = now_us();
      for (int k = 0; k < calls; ++k) one.call();
      double const elapsed = now_us() - begin;
      tn::check(cudaStreamSynchronize(on), "race");
      if (batch >= 0) one.us.push_back(elapsed / calls);
    }
}

// Host time from the call until its kernel is done; the data stays in the caches.
template <class Work>
bench::measurement time_to_finish(Work const& work, cudaStream_t on, int repetitions) {
  std::vector<double> us;
  for (int k = -50; k < repetitions; ++k) {
    double const begin = now_us();
    work(on);
    tn::check(cudaStreamSynchronize(on), "time_to_finish");
    if (k >= 0) us.push_back(now_us() - begin);
  }
  return bench::summary_of(us);
}

void write(bench::session& run, char const* name, long long elements, char const* provider,
           bench::measurement const& time, char const* how) {
  run.write(bench::json_object()
                .add("workload", name)
                .add("shape", bench::shape{elements})
                .add("dtype", "f32")
                .add("provider", provider)
                .add("us", time.median_us)
                .add("us_p10", time.p10_us)
                .add("us_p90", time.p90_us)
                .add("timing", how));
}

void warm_call(bench::session& run, int batches) {
  auto const f =
      tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "relu_add_mul");
  static constexpr long long n = 1024;
  cudaStream_t const on = run.stream();
  bench::buffer_sets sets(
      bench::arrays{bench::normal<float>(n), bench::normal<float>(n), bench::output<float>(n)}, on);
  bench::buffer_set const& b = sets[0];
  const_vector x(b.get<float>(0), n), y(b.get<float>(1), n);
  vector out(b.get<float>(2), n);
  // What a careful hand would launch.
  auto const launch = [&] {
    bare_kernel<<<1, 256, 0, on>>>(reinterpret_cast<float4 const*>(b.get<float>(0)),
                                   reinterpret_cast<float4 const*>(b.get<float>(1)),
                                   reinterpret_cast<float4*>(b.get<float>(2)), n / 4);
    tn::check(cudaGetLastError(), "launch");
  };
  // Tensors of the stream, so that everything is in the order of one stream.
  tn::tensor<float, tn::dyn> owned_x(tn::stream(on), n), owned_y(tn::stream(on), n);
  long long shape = 0;
  std::vector<contender> contenders{
      {"current_device", "cuda", [] { tn::current_device(); }},
      {"warm_call", "cuda_launch", launch},
      {"warm_call", "tenon", [&] { f.on(on).into(out)(x, y); }},
      // Every call another shape: the cache holds many plans.
      {"warm_call_64_shapes", "tenon",
       [&] {
         long long const m = 256 + shape++ % 64;
         vector result(b.get<float>(2), m);
         f.on(on).into(result)(const_vector(b.get<float>(0), m), const_vector(b.get<float>(1), m));
       }},
      {"warm_call_allocating", "cuda_launch",
       [&] {
         void* result = nullptr;
         tn::check(cudaMallocAsync(&result, n * sizeof(float), on), "allocate");
         launch();
         tn::check(cudaFreeAsync(result, on), "free");
       }},
      {"warm_call_allocating", "tenon", [&] { f.on(on)(owned_x, owned_y); }}};
  race(contenders, on, batches);
  for (contender const& one : contenders)
    write(run, one.workload, n, one.provider, bench::summary_of(one.us), "host time of a call");
}

}  // namespace

int main(int argc, char** argv) {
  bench::session run(argc, argv);
  int const repetitions = run.effort().single_repetitions * 10;
  try {
    if (run.wants("warm_call")) warm_call(run, repetitions);
  } catch (std::exception const& fault) {
    run.fail("call_overhead", fault.what());
  }
  return run.exit_code();
}
