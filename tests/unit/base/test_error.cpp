// The messages of the exceptions, and the precondition check.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "tacit/base/error.hpp"

namespace error_test {
namespace {

using namespace tacit::base;

TEST(Error, ContextIsAppendedWhileItTravels) {
  Error error("no convergence");
  EXPECT_STREQ(error.what(), "no convergence");
  error.add_context("in task density[12]");
  error.add_context("in step 3");
  EXPECT_STREQ(error.what(), "no convergence\n  in task density[12]\n  in step 3");
  const Error copy = error;
  EXPECT_STREQ(copy.what(), error.what());
}

TEST(Error, SystemErrorNamesPathAndReason) {
  const SystemError error("out.hdf5", "cannot be opened", ENOENT);
  EXPECT_STREQ(error.what(), "out.hdf5: cannot be opened (No such file or directory)");
  EXPECT_EQ(error.code(), ENOENT);
  EXPECT_STREQ(SystemError("out.hdf5", "is a directory").what(), "out.hdf5: is a directory");
}

TEST(Error, FormatErrorBeginsWithThePath) {
  EXPECT_STREQ(FormatError("ics.hdf5", "PartType0 is missing").what(), "ics.hdf5: PartType0 is missing");
}

TEST(Error, AllAreCaughtAsBaseError) {
  EXPECT_THROW(throw SystemError("a", "b"), Error);
  EXPECT_THROW(throw FormatError("a", "b"), Error);
}

TEST(Error, BrokenPreconditionSaysWhereAndWhat) {
  try {
    fail_precondition("h > 0", "kernel.cpp", 12);
    FAIL() << "returned";
  } catch (const PreconditionError& error) {
    EXPECT_STREQ(error.what(),
                 "kernel.cpp:12: precondition broken: h > 0\n"
                 "  This is a bug in Tacit; please report it with the parameter file.");
  }
}

TEST(Error, ExpectChecksOnlyWhereItIsAskedTo) {
  EXPECT_NO_THROW(TACIT_EXPECT(1 + 1 == 2));
#if defined(TACIT_CHECKS) || !defined(NDEBUG)
  EXPECT_THROW(TACIT_EXPECT(1 + 1 == 3), PreconditionError);
#else
  EXPECT_NO_THROW(TACIT_EXPECT(1 + 1 == 3));
#endif
}

}  // namespace
}  // namespace error_test
