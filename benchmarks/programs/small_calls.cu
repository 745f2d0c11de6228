// SPDX-License-Identifier: Apache-2.0
// Small tensors from the host's call to the finished kernel, launched by the host and as a graph:
// Tenon, CUB, and the bare kernel that a careful hand would write.

#include <chrono>
#include <cub/device/device_transform.cuh>

#include "harness/buffers.cuh"
#include "harness/session.cuh"
#include "harness/timing.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

using vector = tn::view<float, tn::dyn>;
using const_vector = tn::view<float const, tn::dyn>;

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
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

struct relu_add_mul {
  __device__ float operator()(float x, float y) const { return fmaxf((x + y) * 2, 0.0f); }
};

__global__ void bare_kernel(float4 const* x, float4 const* y, float4* out, int words) {
  int const k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= words) return;
  relu_add_mul const f;
  float4 const a = x[k], b = y[k];
  out[k] = make_float4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}

void write(bench::session& run, long long n, char const* provider, bench::measurement const& time,
           char const* how) {
  run.write(bench::json_object()
                .add("workload", "relu_add_mul")
                .add("shape", bench::shape{n})
                .add("dtype", "f32")
                .add("provider", provider)
                .add("us", time.median_us)
                .add("us_p10", time.p10_us)
                .add("us_p90", time.p90_us)
                .add("timing", how));
}

template <class Call>
void measure(bench::session& run, long long n, char const* provider, Call const& call) {
  int const repetitions = run.effort().single_repetitions * 10;
  call(run.stream());
  bench::captured_graph const graph(run.stream(), [&] { call(run.stream()); });
  write(run, n, provider, time_to_finish(call, run.stream(), repetitions),
        "host call to finished kernel");
  auto const replay = [&](cudaStream_t on) { graph.replay(on); };
  write(run, n, provider, time_to_finish(replay, run.stream(), repetitions),
        "graph replay to finished kernel");
}

// @pre n is a multiple of 4
void measure_all(bench::session& run, long long n) {
  bench::buffer_sets sets(
      bench::arrays{bench::normal<float>(n), bench::normal<float>(n), bench::output<float>(n)},
      run.stream());
  float *x = sets[0].get<float>(0), *y = sets[0].get<float>(1), *out = sets[0].get<float>(2);
  auto const f =
      tn::compile([](auto a, auto b) { return tn::relu((a + b) * 2.0f); }, "relu_add_mul");
  measure(run, n, "tenon", [&](cudaStream_t on) {
    f.on(on).into(vector(out, n))(const_vector(x, n), const_vector(y, n));
  });
  measure(run, n, "cub", [&](cudaStream_t on) {
    tn::check(
        cub::DeviceTransform::Transform(cuda::std::make_tuple(x, y), out, n, relu_add_mul(), on),
        "cub");
  });
  measure(run, n, "bare_kernel", [&](cudaStream_t on) {
    static constexpr int threads = 256;
    int const words = static_cast<int>(n / 4);
    bare_kernel<<<(words + threads - 1) / threads, threads, 0, on>>>(
        reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(y), reinterpret_cast<float4*>(out),
        words);
    tn::check(cudaGetLastError(), "bare_kernel");
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::session run(argc, argv);
  try {
    for (long long bytes = 4096; bytes <= 16 << 20; bytes *= 16) measure_all(run, bytes / 4);
  } catch (std::exception const& fault) {
    run.fail("small_calls", fault.what());
  }
  return run.exit_code();
}
