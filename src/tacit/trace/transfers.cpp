// Reads the transfers out of a time line, one event to a line.
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
      sums.push_back(sum.all);
      if (!sum.is_all_timed) sums.back().alone_s = 0.0;
      if (!sum.is_all_counted) sums.back().bytes = 0.0;
    }
    return sums;
  }

 private:
  struct Begun {
    double at_s = 0.0;
    double alone_s = 0.0;
    double bytes = 0.0;
  };
  struct Sum {
    TransferSum all;
    bool is_all_timed = true;
    bool is_all_counted = true;
  };

  void use(const nlohmann::json& event) {
    const std::string phase = event.at("ph");
    const std::pair<std::uint64_t, std::uint64_t> id{event.at("pid"), event.at("id")};
    const double at_s = 1e-6 * event.at("ts").get<double>();
    if (phase == "b") {
      const auto about = event.value("args", nlohmann::json::object());
      open_[id] = {at_s, 1e-6 * about.value("alone_us", 0.0), about.value("bytes", 0.0)};
    } else if (const auto begun = open_.find(id); phase == "e" && begun != open_.end()) {
      add(event.at("name"), begun->second, at_s);
      open_.erase(begun);
    }
  }

  void add(const std::string& name, const Begun& begun, double end_s) {
    Sum& sum = sums_[name];
    sum.all.name = name;
    ++sum.all.count;
    sum.all.seconds += end_s - begun.at_s;
    sum.all.alone_s += begun.alone_s;
    sum.all.bytes += begun.bytes;
    sum.is_all_timed = sum.is_all_timed && begun.alone_s > 0.0;
    sum.is_all_counted = sum.is_all_counted && begun.bytes > 0.0;
  }

  std::map<std::pair<std::uint64_t, std::uint64_t>, Begun> open_;
  std::map<std::string, Sum> sums_;
};

}  // namespace

std::vector<TransferSum> read_transfers(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path);
  if (!file) throw base::SystemError(path.string(), "cannot open the time line, check its path", errno);
  TransferReader reader;
  for (std::string line; std::getline(file, line);) reader.add(line);
  if (file.bad()) throw base::SystemError(path.string(), "cannot read the time line", errno);
  return reader.take();
}

}  // namespace tacit::trace
