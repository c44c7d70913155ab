// What communication throws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/base/error.hpp"

namespace tacit::comm {

/// The launcher and what the program sees disagree: how many ranks there are.
class LaunchError : public base::Error {
 public:
  using base::Error::Error;
};

/// An argument that cannot be: longer than any memory, or than the window that is to carry it; what() names both.
class ArgumentError : public base::Error {
 public:
  using base::Error::Error;
};

/// Two ends of a connection were set up differently; what() names both ranks and their arguments.
class MismatchError : public base::Error {
 public:
  using base::Error::Error;
};

/// A wait reached its deadline; what() names the rank, its host and what it waited for.
class DeadlineError : public base::Error {
 public:
  using base::Error::Error;
};

/// Another rank has died, was stopped, or has left; what() names it, this rank, and what this rank waited for.
class PeerError : public base::Error {
 public:
  using base::Error::Error;
};

/// A transport failed, or cannot do what was asked of it; what() names it.
class ProviderError : public base::Error {
 public:
  using base::Error::Error;
};

}  // namespace tacit::comm
