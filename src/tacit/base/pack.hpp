// Packs: as many numbers as one register holds, computed with at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/pack_scalar.hpp"

// A file sees the packs that its compiler flags allow. Files that use wide ones are compiled once per instruction set
// (cmake/TacitInstructionSets.cmake) and include nothing but packs and formulas over them: any other inline function
// might be emitted with instructions that the processor lacks, and the linker might pick that copy for everyone.
#if defined(__SSE4_2__)
#include "tacit/base/pack_v2.hpp"
#endif
#if defined(__AVX2__) && defined(__FMA__)
#include "tacit/base/pack_v3.hpp"
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include "tacit/base/pack_v4.hpp"
#endif
#if defined(__aarch64__)
#include "tacit/base/pack_neon64.hpp"
#endif
