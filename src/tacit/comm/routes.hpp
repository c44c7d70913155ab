// Routes of connections: for pairs of ranks a transport, and with libfabric a provider, a device and a port.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/comm/rank.hpp"

namespace tacit::comm {

/// A network as libfabric knows it; what is empty is chosen.
struct Network {
  std::string provider = {};  ///< "verbs;ofi_rxm", "tcp;ofi_rxm"
  std::string device = {};    ///< "mlx5_0", "eth0"
  std::uint16_t port = 0;     ///< of TCP: rank r listens on port + r; 0: on any
  auto operator<=>(const Network&) const = default;
};

/// The route of one pair.
struct Route {
  ProviderId transport{};
  Network network = {};
};

/// A list of routes; the last that fits a pair decides, and without one locality does.
///
///     # ranks  ranks  transport  provider     device  port
///     between  nodes  ofi        tcp;ofi_rxm  eth0    7000
///     0-3      4-7,9  mpi
///     *        8      ofi        -            ib0
class RouteMap {
 public:
  RouteMap() = default;
  /// @param text  the content of the file
  /// @param name  of the file, for messages
  /// @throws base::FormatError that names file and line, what was found and what may stand there
  RouteMap(std::string_view text, std::string_view name);
  /// @throws base::SystemError if the file cannot be read; base::FormatError
  [[nodiscard]] static RouteMap read(const std::string& path);

  /// The route between two ranks, in either direction; nothing: as locality suggests. None leads from a rank to itself.
  [[nodiscard]] const Route* find(const RankInfo& a, const RankInfo& b) const noexcept;
  [[nodiscard]] bool is_empty() const noexcept { return rules_.empty(); }

 private:
  enum class Scope : std::uint8_t { ranks, between_nodes, within_nodes };
  using Range = std::pair<std::uint32_t, std::uint32_t>;  // first and last
  struct Rule {
    Scope scope = Scope::ranks;
    std::vector<Range> from = {};  // with Scope::ranks
    std::vector<Range> to = {};
    Route route = {};
  };
  class Reader;
  [[nodiscard]] static bool fits(const Rule& rule, const RankInfo& a, const RankInfo& b) noexcept;

  std::vector<Rule> rules_;
};

}  // namespace tacit::comm
