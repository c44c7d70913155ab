// The mark of functions that kernels call. Included by formulas that are compiled once per instruction set, too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Once for both compilers; without a device compiler it is nothing.
#if defined(__CUDACC__)
#define TACIT_HOST_DEVICE __host__ __device__
#else
#define TACIT_HOST_DEVICE
#endif
