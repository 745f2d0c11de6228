// SPDX-License-Identifier: Apache-2.0
// Kernels that the tests of the emulator run: arithmetic, control, barriers, early launches,
// faults.

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cassert>
#include <cstdio>
namespace cg = cooperative_groups;
extern "C" {
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void sum(const float* a, float* out, int n) {
  __shared__ float s[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i];
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}
__global__ void diverge(int* out, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int x = i, steps = 0;
  while (x > 1) {
    if (x % 2)
      x = 3 * x + 1;
    else
      x /= 2;
    ++steps;
    if (steps > 1000) break;
  }
  if (i < n) out[i] = steps;
}
__global__ void copies(const float4* in, float4* out) {
  __shared__ float4 s[256];
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(s + threadIdx.x));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at),
               "l"(in + blockIdx.x * 256 + threadIdx.x)
               : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void __cluster_dims__(4, 1, 1) clusters(int* out) {
  __shared__ int mine;
  auto c = cg::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x * 10;
  c.sync();
  int total = 0;
  for (unsigned r = 0; r < c.num_blocks(); ++r) total += *c.map_shared_rank(&mine, r);
  c.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
__global__ void halves(const __half2* a, const __nv_bfloat162* b, float* out, __half2* h,
                       __nv_bfloat162* g) {
  int i = threadIdx.x;
  __half2 x = __hfma2(a[i], a[i], a[i]);
  __nv_bfloat162 y = __hfma2(b[i], b[i], b[i]);
  h[i] = x;
  g[i] = y;
  out[i] = __half2float(x.x) + __bfloat162float(y.y);
}
__global__ void grid_barrier(unsigned* arrived, int* data, int* out) {
  data[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {}
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    int t = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) t += ((volatile int*)data)[k];
    out[blockIdx.x] = t;
  }
}
__global__ void over(float* a, int n) { a[threadIdx.x + n] = 1; }
__global__ void mis(char* a) { *(int*)(a + 2 + threadIdx.x * 4) = 1; }
__global__ void stuck(int* a) {
  if (threadIdx.x < 32) __syncthreads();
  asm volatile("bar.sync 1, 64;");
  if (threadIdx.x >= 64) asm volatile("bar.sync 3, 128;");
  a[0] = 1;
}
__global__ void hang(volatile int* a) {
  while (*a == 0) {}
}
__global__ void says(int* a) {
  if (threadIdx.x == 0)
    printf("block %d says %f and %s %lld\n", blockIdx.x, 1.5 * blockIdx.x, "text", (long long)a[0]);
  assert(a[0] != 7);
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__global__ void recursion(int* out) { out[threadIdx.x] = fib(threadIdx.x % 12); }
__global__ void locals(int* out, int n) {
  int a[64];
  for (int k = 0; k < n; ++k) a[(k * 7) % 64] = k + threadIdx.x;
  int t = 0;
  for (int k = 0; k < n; ++k) t += a[(k * 3) % 64];
  out[threadIdx.x] = t;
}
__global__ void producer(int* data) {
  asm volatile("griddepcontrol.launch_dependents;");
  for (int k = 0; k < 100; ++k) __nanosleep(100);
  data[blockIdx.x * blockDim.x + threadIdx.x] = 5;
}
__global__ void consumer(int* data, int* out, int wait) {
  if (wait) asm volatile("griddepcontrol.wait;" ::: "memory");
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}
__global__ void racy(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (out[0] == 1) __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void conv(const float* a, int* o, int n) {
  int i = threadIdx.x;
  o[8 * i] = __float2int_rn(a[i]);
  o[8 * i + 1] = __float2int_rd(a[i]);
  o[8 * i + 2] = __float2int_ru(a[i]);
  o[8 * i + 3] = __float2int_rz(a[i]);
  o[8 * i + 4] = (unsigned char)(int)a[i];
  o[8 * i + 5] = __float_as_int(__fadd_rd(a[i], 1e-9f));
  o[8 * i + 6] = __float_as_int(__fadd_ru(a[i], 1e-9f));
  o[8 * i + 7] = __float_as_int(__fdiv_rn(a[i], 3.f));
}
__global__ void tiles(int* out) {
  auto t = cg::tiled_partition<8>(cg::this_thread_block());
  int v = threadIdx.x;
  if (threadIdx.x / 8 % 2) {
    for (int d = 4; d; d /= 2) v += t.shfl_xor(v, d);
  } else {
    t.sync();
    v = t.ballot(v % 3 == 0);
  }
  out[threadIdx.x] = v;
}
}
