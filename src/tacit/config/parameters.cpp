// The typed readers of Parameters.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/parameters.hpp"

#include <algorithm>

#include "tacit/config/detail/content.hpp"

namespace tacit::config {
namespace {

/// @return what the value holds
/// @throws base::PreconditionError if it holds something else, or nothing
template <class T>
const T& content(const Parameters::Value& value, std::string_view asked) {
  if (const auto* held = std::get_if<T>(&value.content)) return *held;
  throw base::PreconditionError("parameter " + value.name + " was read as " + std::string(asked) +
                                (value.content.index() == 0 ? " but has no value" : " but is of another type"));
}

}  // namespace

Parameters::Parameters() = default;
Parameters::Parameters(const Parameters&) = default;
Parameters& Parameters::operator=(const Parameters&) = default;
Parameters::Parameters(Parameters&&) noexcept = default;
Parameters& Parameters::operator=(Parameters&&) noexcept = default;
Parameters::~Parameters() = default;

const Parameters::Value& Parameters::find(std::string_view key) const {
  const auto value = std::ranges::find(values_, key, &Value::name);
  if (value == values_.end())
    throw base::PreconditionError("the key " + std::string(key) +
                                  " is read but in no table of keys: add its row to the table of the solver that reads "
                                  "it (its parameters.cpp or *keys*.cpp), where 'tacit keys' shows it then");
  return *value;
}

bool Parameters::flag(std::string_view key) const { return content<bool>(find(key), "a flag"); }

std::int64_t Parameters::integer(std::string_view key) const { return content<std::int64_t>(find(key), "an integer"); }

double Parameters::real(std::string_view key) const { return content<double>(find(key), "a number"); }

std::vector<double> Parameters::vector(std::string_view key) const {
  return content<std::vector<double>>(find(key), "a vector");
}

const std::map<std::string, double>& Parameters::constants(std::string_view key) const {
  return content<std::map<std::string, double>>(find(key), "a table of constants");
}

std::vector<std::string> Parameters::texts(std::string_view key) const {
  return content<std::vector<std::string>>(find(key), "a list of texts");
}

const std::string& Parameters::text(std::string_view key) const {
  const Value& value = find(key);
  const auto& text = content<std::string>(value, "a text");
  if (value.type == Type::path) throw base::PreconditionError("parameter " + value.name + " is a path; read it as one");
  return text;
}

std::filesystem::path Parameters::path(std::string_view key) const {
  const Value& value = find(key);
  std::filesystem::path path = content<std::string>(value, "a path");
  if (value.type != Type::path) throw base::PreconditionError("parameter " + value.name + " is no path");
  if (path.empty() || path.is_absolute() || is_on_command_line(value.where)) return path;
  return file_.parent_path() / path;
}

std::vector<std::string> Parameters::paths() const {
  std::vector<std::string> keys;
  for (const Value& value : values_) {
    if (value.type == Type::path && value.content.index() != 0) keys.push_back(value.name);
  }
  return keys;
}

base::Vec3 Parameters::vec3(std::string_view key) const {
  const auto& values = content<std::vector<double>>(find(key), "a vector");
  TACIT_EXPECT(values.size() == 3);
  return {values[0], values[1], values[2]};
}

bool Parameters::has(std::string_view key) const { return find(key).content.index() != 0; }

bool Parameters::is_given(std::string_view key) const { return find(key).is_given; }

Location Parameters::where(std::string_view key) const { return find(key).where; }

Location Parameters::where_in(std::string_view key, std::size_t character) const {
  const Value& value = find(key);
  Location where = value.where;
  if (value.is_verbatim && where.line > 0) where.column += 1 + static_cast<int>(character);  // behind the quote
  return where;
}

}  // namespace tacit::config
