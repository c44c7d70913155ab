// A message to the own rank, in C++.
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>

#include "tacit/comm/window.hpp"

int main() {
  using namespace tacit;
  try {
    comm::Communicator world;
    comm::Connection self(world, {.rank = comm::RankId{0}});
    comm::SendWindow<double> out(self, 1);
    comm::RecvWindow<double> in(self, 1);
    in.init();
    out.data()[0] = 42.0;
    out.post();
    const bool is_right = in.wait()[0] == 42.0;
    out.wait();
    return is_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
