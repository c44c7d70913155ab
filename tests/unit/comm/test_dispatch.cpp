// Finding the transport of a window: what is called is what the window has. `tacit bench comm` measures what it costs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <variant>

#include "tacit/comm/providers/providers.hpp"

namespace tacit::comm::testing {
namespace dispatching {

/// An end of the i-th kind.
template <int i>
struct End {
  int calls = 0;
  int call() { return ++calls, i; }
};

template <class Any>
int call(Any& any) {
  return dispatch(any, [](auto& end) { return end.call(); });
}

TEST(CommDispatch, CallsTheKindThatIsThereOnce) {
  End<0> only;
  EXPECT_EQ(call(only), 0);
  EXPECT_EQ(only.calls, 1);
  std::variant<End<0>, End<1>> of_two;
  EXPECT_EQ(call(of_two), 0);
  of_two = End<1>();
  EXPECT_EQ(call(of_two), 1);
  EXPECT_EQ(std::get<1>(of_two).calls, 1);
  std::variant<End<0>, End<1>, End<2>> of_three;
  EXPECT_EQ(call(of_three), 0);
  of_three = End<1>();
  EXPECT_EQ(call(of_three), 1);
  of_three = End<2>();
  EXPECT_EQ(call(of_three), 2);
  EXPECT_EQ(std::get<2>(of_three).calls, 1);
}

TEST(CommDispatch, PassesOnWhatIsConstant) {
  const std::variant<End<0>, End<1>, End<2>> any = End<1>{.calls = 7};
  EXPECT_EQ(dispatch(any, [](const auto& end) { return end.calls; }), 7);
}

/// Slots are the first kind: theirs is the branch that is expected.
TEST(CommDispatch, ASlotIsAskedInEveryBuild) {
  AnySender any{detail::SlotSender()};
  EXPECT_TRUE(dispatch(any, [](auto& sender) noexcept { return sender.test(); }));
}

}  // namespace dispatching
}  // namespace tacit::comm::testing
