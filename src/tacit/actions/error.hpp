// What actions throw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::actions {

/// An action has thrown on another rank, or on this one by way of a call; what() names rank, action, type and text.
class RemoteError : public base::Error {
 public:
  RemoteError(const comm::RankInfo& where, std::string_view action, std::string_view type, std::string_view text);

  [[nodiscard]] comm::RankId rank() const noexcept { return rank_; }
  /// Of the exception: "std::out_of_range".
  [[nodiscard]] const std::string& type() const noexcept { return type_; }
  /// Its what().
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  comm::RankId rank_;
  std::string type_;
  std::string text_;
};

/// A record that has come from another rank is not what its action takes; what() says where it ends or is wrong.
class RecordError : public base::Error {
 public:
  using base::Error::Error;
};

/// The object of a call is gone, was never there, or is of another class.
class ObjectError : public base::Error {
 public:
  using base::Error::Error;
};

/// Arguments longer than Options::longest_record, or more calls than may wait for a rank.
class LimitError : public base::Error {
 public:
  using base::Error::Error;
};

namespace detail {
/// The class of an exception as the source has it: "std::out_of_range"; and its what().
struct Thrown {
  std::string type;
  std::string text;
};
[[nodiscard]] Thrown thrown_by(const std::exception_ptr& error);
}  // namespace detail

}  // namespace tacit::actions
