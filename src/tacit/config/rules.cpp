// Rules between keys, and files that keys name.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "tacit/config/detail/checks.hpp"
#include "tacit/config/detail/describe.hpp"

namespace tacit::config {
namespace {

namespace fs = std::filesystem;

/// What is wrong with a path at which no regular file is, and what to do about it; empty if there is one.
std::pair<std::string, std::string> fault_of(const fs::path& path, const Location& where) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return {};
  if (fs::is_directory(path, ignored)) return {"is a directory, expected a file", "name one file in it"};
  if (fs::exists(path, ignored)) return {"is no regular file", "name a file"};
  if (fs::is_symlink(path, ignored)) {
    return {fmt::format("is a link to '{}', which does not exist", fs::read_symlink(path, ignored).string()),
            "is the disk that it leads to mounted?"};
  }
  return {"does not exist", is_on_command_line(where) ? "a relative path begins in the working directory"
                                                      : "a relative path begins in the folder of the parameter file"};
}

std::string table_of(std::string_view name) { return std::string(name.substr(0, name.rfind('.'))); }

class RuleCheck {
 public:
  RuleCheck(std::span<const Key* const> keys, std::span<const Parameters::Value> values, const Parameters& parameters)
      : keys_(keys), values_(values), parameters_(parameters) {}

  [[nodiscard]] std::vector<Problem> problems() {
    for (std::size_t i = 0; i < keys_.size(); ++i) check(*keys_[i], values_[i]);
    for (const Key* key : keys_) {
      if (problems_.empty() && key->names_a_file) check_file(*key);
    }
    return std::move(problems_);
  }

 private:
  void check(const Key& key, const Parameters::Value& value) {
    const Rule& rule = key.rule;
    if (rule.kind == Rule::Kind::none) return;
    const auto found = std::ranges::find(values_, rule.other, &Parameters::Value::name);
    if (found == values_.end()) throw base::PreconditionError(fmt::format("a rule names no key: {}", rule.other));
    if (rule.kind == Rule::Kind::needs || rule.kind == Rule::Kind::belongs) {
      check_use(key, value, *found);
    } else if (value.is_given && found->is_given) {
      report(value.where, key.name, fmt::format("stands beside {}; only one of them is used", rule.other),
             "remove one of the two lines");
    } else if (rule.kind == Rule::Kind::alternative && !value.is_given && !found->is_given) {
      report_neither(key, *keys_[static_cast<std::size_t>(found - values_.begin())]);
    }
  }

  void check_use(const Key& key, const Parameters::Value& value, const Parameters::Value& other) {
    const Rule& rule = key.rule;
    const auto* name = std::get_if<std::string>(&other.content);
    const auto* flag = std::get_if<bool>(&other.content);
    const std::string is = name != nullptr ? *name : flag != nullptr ? (*flag ? "true" : "false") : "";
    const bool has_values = !rule.values.front().empty();
    const bool is_used =
        has_values ? !is.empty() && std::ranges::find(rule.values, is) != rule.values.end() : other.is_changed;
    if (is_used) {
      if (rule.kind != Rule::Kind::belongs || value.content.index() != 0) return;
      const std::string reason = detail::condition_text({.other = rule.other, .values = {has_values ? is : ""}});
      report(other.where, key.name, fmt::format("is missing; {} needs it", reason), detail::example(key));
    } else if (value.is_changed) {
      report(value.where, key.name, fmt::format("is used with {} only", detail::condition_text(rule)),
             name != nullptr ? "set that, or remove this line" : "add that line, or remove this one");
    }
  }

  void check_file(const Key& key) {
    if (!parameters_.has(key.name)) return;
    try {
      static_cast<void>(parameters_.existing_file(key.name));
    } catch (const Error& error) {
      problems_.push_back(error.problems().front());
    }
  }

  void report_neither(const Key& key, const Key& other) {
    const std::size_t from = table_of(key.name).size() + 1;
    report(
        {.file = parameters_.file().string()}, other.name,
        fmt::format("is missing, and so is {}; one is needed", key.name),
        fmt::format("add   {} = {}   or   {} = {}   under [{}]", other.name.substr(from), detail::example_value(other),
                    key.name.substr(from), detail::example_value(key), table_of(key.name)));
  }

  void report(const Location& where, std::string_view key, std::string message, std::string hint) {
    problems_.push_back({where, std::string(key), std::move(message), std::move(hint)});
  }

  std::span<const Key* const> keys_;
  std::span<const Parameters::Value> values_;
  const Parameters& parameters_;
  std::vector<Problem> problems_;
};

}  // namespace

std::filesystem::path Parameters::existing_file(std::string_view key) const {
  fs::path file = path(key);
  auto [what, hint] = fault_of(file, where(key));
  if (what.empty()) return file;
  throw Error(where(key), std::string(key), fmt::format("'{}' {}", file.string(), what), std::move(hint));
}

std::vector<Problem> detail::broken_rules(std::span<const Key* const> keys, std::span<const Parameters::Value> values,
                                          const Parameters& parameters) {
  return RuleCheck(keys, values, parameters).problems();
}

}  // namespace tacit::config
