// SPDX-License-Identifier: Apache-2.0
// What a warm call costs the host beside a bare launch, and small tensors from the call to the
// finished kernel.

#include <chrono>

#include "harness/session.cuh"
#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

using vector = tn::view<float, tn::dyn>;
using const_vector = tn::view<float const, tn::dyn>;

// About as many bytes of parameters as a fused kernel has.
template <int Words> struct parameters { long long words[Words]; };
template <int Words> __global__ void empty_kernel(parameters<Words>) {}

double now_us() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// Host time per call in batches that the launch queue holds. @pre work(on) only queues
template <class Work> bench::measurement host_time(Work const& work, cudaStream_t on, int batches) {
  static constexpr int calls = 200;
  std::vector<double> us;
  for (int batch = -10; batch < batches; ++batch) {
    double const begin = now_us();
    for (int k = 0; k < calls; ++k) work(on);
    double const elapsed = now_us() - begin;
    tn::check(cudaStreamSynchronize(on), "host_time");
    if (batch >= 0) us.push_back(elapsed / calls);
  }
  return bench::summary_of(us);
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

template <int Words> void bare_launch(bench::session& run, int batches) {
  static constexpr char const* names[] = {"cuda_launch_64_bytes", "cuda_launch_512_bytes"};
  auto launch = [](cudaStream_t on) {
    empty_kernel<<<1, 32, 0, on>>>(parameters<Words>{});
    tn::check(cudaGetLastError(), "bare_launch");
  };
  write(run, "warm_call", 1024, names[Words > 8], host_time(launch, run.stream(), batches),
        "host time of a call");
}

void warm_call(bench::session& run, int batches) {
  auto const f =
      tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "relu_add_mul");
  static constexpr long long n = 1024;
  bench::buffer_sets sets(
      bench::arrays{bench::normal<float>(n), bench::normal<float>(n), bench::output<float>(n)},
      run.stream());
  bench::buffer_set const& b = sets[0];
  const_vector x(b.get<float>(0), n), y(b.get<float>(1), n);
  vector out(b.get<float>(2), n);
  auto const call = [&](cudaStream_t on) { f.on(on).into(out)(x, y); };
  write(run, "warm_call", n, "tenon", host_time(call, run.stream(), batches),
        "host time of a call");

  // Every call another shape: the cache holds many plans.
  long long shape = 0;
  auto const call_any_shape = [&](cudaStream_t on) {
    long long const m = 256 + shape++ % 64;
    const_vector a(b.get<float>(0), m), c(b.get<float>(1), m);
    vector result(b.get<float>(2), m);
    f.on(on).into(result)(a, c);
  };
  write(run, "warm_call_64_shapes", n, "tenon", host_time(call_any_shape, run.stream(), batches),
        "host time of a call");
}

// The lookup alone: key made from three vectors, plan found.
void plan_lookup(bench::session& run, int batches) {
  using key_type = tn::detail::plan_key<3>;
  tn::detail::plan_cache<key_type, int> cache;
  float element = 0;
  const_vector v(&element, 1);
  long long found = 0;
  auto const look_up = [&](cudaStream_t) {
    key_type key;
    key.push(0);
    for (int k = 0; k < 3; ++k) key.push(tn::detail::erase(v));
    cache.with(
        key, [] { return 1; }, [&](int plan) { found += plan; });
  };
  write(run, "plan_lookup", 1, "tenon", host_time(look_up, run.stream(), batches),
        "host time of a call");
  if (found == 0) run.fail("plan_lookup", "no plan was found");
}

void latency(bench::session& run, long long n, int repetitions) {
  auto const f =
      tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "relu_add_mul");
  bench::buffer_sets sets(
      bench::arrays{bench::normal<float>(n), bench::normal<float>(n), bench::output<float>(n)},
      run.stream());
  bench::buffer_set const& b = sets[0];
  const_vector x(b.get<float>(0), n), y(b.get<float>(1), n);
  vector out(b.get<float>(2), n);
  auto const call = [&](cudaStream_t on) { f.on(on).into(out)(x, y); };
  call(run.stream());
  bench::captured_graph const graph(run.stream(), [&] { call(run.stream()); });
  write(run, "relu_add_mul", n, "tenon", time_to_finish(call, run.stream(), repetitions),
        "host call to finished kernel");
  auto const replay = [&](cudaStream_t on) { graph.replay(on); };
  write(run, "relu_add_mul", n, "tenon", time_to_finish(replay, run.stream(), repetitions),
        "graph replay to finished kernel");
}

}  // namespace

int main(int argc, char** argv) {
  bench::session run(argc, argv);
  int const repetitions = run.effort().single_repetitions * 10;
  try {
    if (run.wants("warm_call")) {
      bare_launch<8>(run, repetitions);
      bare_launch<64>(run, repetitions);
      warm_call(run, repetitions);
    }
    if (run.wants("plan_lookup")) plan_lookup(run, repetitions);
    for (long long bytes = 4096; bytes <= 16 << 20; bytes *= 16)
      if (run.wants("relu_add_mul " + std::to_string(bytes / 4)))
        latency(run, bytes / 4, repetitions);
  } catch (std::exception const& fault) {
    run.fail("call_overhead", fault.what());
  }
  return run.exit_code();
}
