// SPDX-License-Identifier: Apache-2.0
// Kernels that the tests of the emulator run: asynchronous copies and stores, mbarriers, named
// barriers, bits.

#include <cuda/std/cstdint>
extern "C" {
__device__ inline unsigned sh(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__global__ void bulk(const float* in, float* out, int wait) {
  __shared__ alignas(128) float s[256];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(
            sh(&bar))
        : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(&bar)), "r"(1024)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(sh(s)),
        "l"(in + blockIdx.x * 256), "r"(1024), "r"(sh(&bar))
        : "memory");
  }
  if (wait)
    asm volatile(
        "{\n\t.reg .pred done;\n\tagain_%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, "
        "[%0], %1;\n\t@!done bra again_%=;\n\t}" ::"r"(sh(&bar)),
        "r"(0)
        : "memory");
  float v = s[threadIdx.x ^ 1] + 1;
  __syncthreads();
  s[threadIdx.x] = v;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * 256),
        "r"(sh(s)), "r"(1024)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
  }
}
__global__ void __cluster_dims__(4, 1, 1) mail(unsigned* out) {
  __shared__ unsigned box[4];
  __shared__ unsigned long long bar;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(
            sh(&bar))
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(&bar)), "r"(16)
                 : "memory");
  }
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
  if (threadIdx.x < 4)
    asm volatile(
        "{\n\t.reg .u32 to, b;\n\tmapa.shared::cluster.u32 to, %0, %2;\n\tmapa.shared::cluster.u32 "
        "b, %1, %2;\n\tst.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], %3, "
        "[b];\n\t}" ::"r"(sh(box + rank)),
        "r"(sh(&bar)), "r"(threadIdx.x), "r"(rank * 100 + threadIdx.x)
        : "memory");
  asm volatile(
      "{\n\t.reg .pred done;\n\tagain_%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], "
      "%1;\n\t@!done bra again_%=;\n\t}" ::"r"(sh(&bar)),
      "r"(0)
      : "memory");
  if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = box[threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) gone(unsigned* out) {
  __shared__ unsigned box;
  box = threadIdx.x;
  unsigned rank, v = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 1) {
    for (int k = 0; k < 20; ++k) __nanosleep(100);
    asm volatile(
        "{\n\t.reg .u32 to;\n\tmapa.shared::cluster.u32 to, %1, 0;\n\tld.shared::cluster.u32 %0, "
        "[to];\n\t}"
        : "=r"(v)
        : "r"(sh(&box))
        : "memory");
  }
  out[blockIdx.x] = v;
}
__global__ void copied(const float* in, float* out, int wait) {
  __shared__ float s[128];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(sh(s + threadIdx.x)),
               "l"(in + threadIdx.x)
               : "memory");
  asm volatile("cp.async.commit_group;");
  if (wait) asm volatile("cp.async.wait_group 0;" ::: "memory");
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void named(int* out) {  // producer and consumer by named barriers
  __shared__ int s[64];
  if (threadIdx.x < 64) {
    for (int k = 0; k < 4; ++k) {
      asm volatile("barrier.sync 1, 128;" ::: "memory");
      s[threadIdx.x] = k * 100 + threadIdx.x;
      asm volatile("barrier.arrive 2, 128;" ::: "memory");
    }
  } else {
    for (int k = 0; k < 4; ++k) {
      asm volatile("barrier.arrive 1, 128;" ::: "memory");
      asm volatile("barrier.sync 2, 128;" ::: "memory");
      out[k * 64 + threadIdx.x - 64] = s[127 - threadIdx.x];
    }
  }
}
__global__ void warp_order(int* out, int sync) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  if (sync) __syncwarp();
  out[threadIdx.x] = s[31 - threadIdx.x];
}
__global__ void count(int* out) {
  int n = __syncthreads_count(threadIdx.x % 3 == 0), a = __syncthreads_and(threadIdx.x < 96),
      o = __syncthreads_or(threadIdx.x == 5);
  out[threadIdx.x] = n * 100 + a * 10 + o;
}
__global__ void words(unsigned* out, unsigned a, unsigned b, unsigned c, unsigned long long x) {
  unsigned r;
  out[0] = __byte_perm(a, b, c);
  out[1] = __funnelshift_l(a, b, c);
  out[2] = __funnelshift_rc(a, b, c);
  out[3] = __brev(a);
  out[4] = __clzll(x);
  out[5] = __ffs(b);
  out[6] = __popcll(x);
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(4), "r"(9));
  out[7] = r;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(4), "r"(9));
  out[8] = r;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  out[9] = r;
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(28), "r"(9));
  out[10] = r;
  out[11] = __umulhi(a, b);
  out[12] = __dp4a(a, b, c);
  out[13] = __sad(static_cast<int>(a), static_cast<int>(b), c);
  asm("add.cc.u32 %0, %1, %2;\n\taddc.u32 %0, %3, 0;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  out[14] = r;
  out[15] = x / 1000003ull % 77777;
  out[16] = __float_as_uint(__fdividef(3.0f, 7.0f));
  out[17] = __float2uint_rz(3e9f) + static_cast<unsigned>(__double2ll_rn(2.5)) +
            static_cast<unsigned>(__ll2float_rn(x));
}
}
