// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operators of the ONNX standard whose meaning differs from Tenon's function of that name, or
// that have none: written over Tenon's functions as a user would write them. The standard keeps the
// operand's dtype where Tenon promotes.

#include "standard/elementwise.hpp"
#include "standard/losses.hpp"
#include "standard/normalisations.hpp"
#include "standard/optimizers.hpp"
#include "standard/positions.hpp"
#include "standard/products.hpp"
#include "standard/quantisation.hpp"
#include "standard/reductions.hpp"
