// SPDX-License-Identifier: Apache-2.0
// Variables of programs.

#include "runtime/kernels.hpp"

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API cudaError_t cudaGetSymbolAddress(void** to, void const* symbol) {
  TENON_EMULATOR_ENTER();
  variable* const v = variable_of(symbol);
  if (!v) return fail(cudaErrorInvalidSymbol);
  *to = v->at;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGetSymbolSize(size_t* to, void const* symbol) {
  TENON_EMULATOR_ENTER();
  variable* const v = variable_of(symbol);
  if (!v) return fail(cudaErrorInvalidSymbol);
  *to = v->bytes;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaMemcpyToSymbolAsync(void const* symbol, void const* from,
                                                       size_t bytes, size_t offset,
                                                       cudaMemcpyKind way, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  variable* const v = variable_of(symbol);
  if (!v) return fail(cudaErrorInvalidSymbol);
  return cudaMemcpyAsync(v->at + offset, from, bytes, way, on);
}
TENON_EMULATOR_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, void const* symbol, size_t bytes,
                                                         size_t offset, cudaMemcpyKind way,
                                                         cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  variable* const v = variable_of(symbol);
  if (!v) return fail(cudaErrorInvalidSymbol);
  return cudaMemcpyAsync(to, v->at + offset, bytes, way, on);
}
TENON_EMULATOR_API cudaError_t cudaMemcpyToSymbol(void const* symbol, void const* from,
                                                  size_t bytes, size_t offset, cudaMemcpyKind way) {
  TENON_EMULATOR_ENTER();
  variable* const v = variable_of(symbol);
  if (!v) return fail(cudaErrorInvalidSymbol);
  return cudaMemcpy(v->at + offset, from, bytes, way);
}
TENON_EMULATOR_API cudaError_t cudaMemcpyFromSymbol(void* to, void const* symbol, size_t bytes,
                                                    size_t offset, cudaMemcpyKind way) {
  TENON_EMULATOR_ENTER();
  variable* const v = variable_of(symbol);
  if (!v) return fail(cudaErrorInvalidSymbol);
  return cudaMemcpy(to, v->at + offset, bytes, way);
}
