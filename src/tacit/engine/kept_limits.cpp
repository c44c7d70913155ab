// The file in which the limits of machines are kept.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <istream>
#include <sstream>
#include <system_error>
#include <utility>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/base/tuning_cache.hpp"
#include "tacit/engine/speed_limits.hpp"
#include "tacit/topology/cpu_model.hpp"

namespace tacit::engine {
namespace {

bool take(std::istream& words, SpeedLimits& limits) {
  words >> limits.flops >> limits.single_flops >> limits.bandwidth;
  const auto is_rate = [](double value) { return std::isfinite(value) && value > 0.0; };
  return !words.fail() && is_rate(limits.flops) && is_rate(limits.single_flops) && is_rate(limits.bandwidth);
}

constexpr base::TuningFormat format{
    .first_line = "# limits of machines 1: flop/s in double and single precision, byte/s of memory, where",
    .name = "a file of the limits of machines",
    .wrong_line = "is not three rates and where they were measured",
    .cannot_read = "cannot read the limits of machines",
    .cannot_write = "cannot write the limits of machines",
    .takes_answer =
        [](std::istream& words) {
          SpeedLimits limits;
          return take(words, limits);
        },
};

}  // namespace

std::string key_of_limits(std::size_t threads, std::size_t nodes) {
  const base::Provenance build = base::provenance();
  return fmt::format("{} threads on {} nodes, {}, {}, {}, tacit {}", threads, nodes, build.host, topology::cpu_model(),
                     base::name_of(base::best_instruction_set()), build.version);
}

std::filesystem::path limits_file() {
  // By the XDG base directory specification, a path that is not absolute does not count.
  for (const auto& [variable, below] :
       {std::pair{"TACIT_CACHE", ""}, std::pair{"XDG_CACHE_HOME", "tacit"}, std::pair{"HOME", ".cache/tacit"}}) {
    const char* const folder = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing sets it
    if (folder != nullptr && std::filesystem::path(folder).is_absolute())
      return std::filesystem::path(folder) / below / "limits";
  }
  return {};
}

std::optional<SpeedLimits> find_limits(const std::filesystem::path& file, const std::string& key) try {
  if (file.empty()) return std::nullopt;
  std::istringstream words(base::TuningCache(file).find(format, key));
  SpeedLimits limits;
  if (!take(words, limits)) return std::nullopt;
  return limits;
} catch (const base::Error&) {
  return std::nullopt;
} catch (const std::filesystem::filesystem_error&) {
  return std::nullopt;
}

void keep_limits(const std::filesystem::path& file, const std::string& key, const SpeedLimits& limits) {
  if (file.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  base::TuningCache cache(file);
  cache.keep(key, fmt::format("{:.6g} {:.6g} {:.6g}", limits.flops, limits.single_flops, limits.bandwidth));
  const auto try_to_write = [&] {
    try {
      cache.write(format);
      return true;
    } catch (const base::FormatError&) {
      return false;
    }
  };
  try {
    if (try_to_write()) return;
    std::filesystem::remove(file, ignored);  // it is damaged, or of another version
    static_cast<void>(try_to_write());
  } catch (const base::Error&) {  // there is no place for it
  } catch (const std::filesystem::filesystem_error&) {
  }
}

}  // namespace tacit::engine
