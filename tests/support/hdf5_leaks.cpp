// Tells a leak checker not to report what the HDF5 library itself loses when it opens a damaged file.
// SPDX-License-Identifier: Apache-2.0

// The name is the checker's; without one nobody calls it.
extern "C" const char* __lsan_default_suppressions();                            // NOLINT(bugprone-reserved-identifier)
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT(bugprone-reserved-identifier)
