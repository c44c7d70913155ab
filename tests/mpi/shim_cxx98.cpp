// The test of the headers for C, as C++98.
// SPDX-License-Identifier: Apache-2.0
#include "shim_c89.c"
