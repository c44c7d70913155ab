// The exceptions that every layer throws, and the precondition check.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tacit::base {

/// What every exception of Tacit derives from; what() is the whole message, ready to print.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message), message_(message) {}
  [[nodiscard]] const char* what() const noexcept override { return message_.c_str(); }

  /// Appends where it happened, as in "\n  in task density[12]"; used while the exception travels.
  void add_context(std::string_view context) { message_.append("\n  ").append(context); }

 private:
  std::string message_;
};

/// The machine failed: a file, the network, a device.
class SystemError : public Error {
 public:
  /// @param path  the file or device; printed first
  /// @param what  what was tried and what to do
  /// @param code  errno, or 0 when there is none; its text is appended
  SystemError(const std::string& path, const std::string& what, int code = 0);
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// A file's content is not what its format says; what() starts with the path.
class FormatError : public Error {
 public:
  FormatError(const std::string& path, const std::string& what) : Error(path + ": " + what) {}
};

/// The caller broke a precondition: an internal error, never a fault of the user's input.
class PreconditionError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// @throws PreconditionError always
[[noreturn]] void fail_precondition(const char* condition, const char* file, int line);

}  // namespace tacit::base

// Checked in debug, CI and sanitizer builds (TACIT_CHECKS); costs nothing otherwise.
#if defined(TACIT_CHECKS) || !defined(NDEBUG)
#define TACIT_EXPECT(condition) \
  ((condition) ? static_cast<void>(0) : ::tacit::base::fail_precondition(#condition, __FILE__, __LINE__))
#else
#define TACIT_EXPECT(condition) static_cast<void>(0)
#endif
