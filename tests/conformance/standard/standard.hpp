// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators of the ONNX standard whose meaning differs from Tenon's function of that name, or
// that have none: written over Tenon's functions as a user would write them. The standard keeps the
// operand's dtype where Tenon promotes.

#include "conformance/standard/elementwise.hpp"
#include "conformance/standard/losses.hpp"
#include "conformance/standard/normalisations.hpp"
#include "conformance/standard/optimizers.hpp"
#include "conformance/standard/positions.hpp"
#include "conformance/standard/products.hpp"
#include "conformance/standard/quantisation.hpp"
#include "conformance/standard/reductions.hpp"
