// Reads the transfers out of a trace, one event to a line.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/transfers.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <map>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::trace {
namespace {

constexpr std::size_t longest_line = 4096;  // an event has some 150 bytes

/// Pairs the beginnings and ends of transfers.
class TransferReader {
 public:
  void add(std::string line) {
    if (line.size() > longest_line || line.find("\"transfers\"") == std::string::npos) return;
    while (!line.empty() && line.back() != '}') line.pop_back();
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (!event.is_object()) return;
    try {
      use(event);
    } catch (const nlohmann::json::exception&) {  // an event of another program
    }
  }

  [[nodiscard]] std::vector<TransferSum> take() const {
    std::vector<TransferSum> sums;
    for (const auto& [name, sum] : sums_) {
      sums.push_back(sum);
      sums.back().name = name;
    }
    return sums;
  }

 private:
  struct Begun {
    double at_s = 0.0;
    double alone_s = 0.0;
    double bytes = 0.0;
  };

  void use(const nlohmann::json& event) {
    const std::string phase = event.at("ph");
    const std::pair<std::uint64_t, std::uint64_t> id{event.at("pid"), event.at("id")};
    const double at_s = 1e-6 * event.at("ts").get<double>();
    if (phase == "b") {
      const auto about = event.value("args", nlohmann::json::object());
      open_[id] = {at_s, 1e-6 * about.value("alone_us", 0.0), about.value("bytes", 0.0)};
    } else if (const auto begun = open_.find(id); phase == "e" && begun != open_.end()) {
      const auto& [begin_s, alone_s, bytes] = begun->second;
      sums_[event.at("name")].add({.count = 1, .seconds = at_s - begin_s, .alone_s = alone_s, .bytes = bytes});
      open_.erase(begun);
    }
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, Begun> open_;
  std::map<std::string, TransferSum> sums_;
};

}  // namespace

void TransferSum::add(const TransferSum& others) noexcept {
  const auto sum = [this](double mine, double theirs) {
    return (count == 0 || mine > 0.0) && theirs > 0.0 ? mine + theirs : 0.0;
  };
  alone_s = sum(alone_s, others.alone_s);
  bytes = sum(bytes, others.bytes);
  seconds += others.seconds;
  count += others.count;
}

std::vector<TransferSum> read_transfers(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file) throw base::SystemError(path.string(), "cannot open the trace, check its path", errno);
  TransferReader reader;
  for (std::string line; std::getline(file, line);) reader.add(line);
  if (file.bad()) throw base::SystemError(path.string(), "cannot read the trace", errno);
  return reader.take();
}

}  // namespace tacit::trace
