// Reads formulas by muParser; the only file that includes it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/formula.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/describe.hpp"

namespace tacit::config {
namespace {

constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using Many = double (*)(const double*, int);

struct UnaryRow {
  std::string_view name;
  Unary function;
};
constexpr std::array unary_rows{
    UnaryRow{"abs", [](double a) { return std::abs(a); }},
    UnaryRow{"acos", [](double a) { return std::acos(a); }},
    UnaryRow{"asin", [](double a) { return std::asin(a); }},
    UnaryRow{"atan", [](double a) { return std::atan(a); }},
    UnaryRow{"cbrt", [](double a) { return std::cbrt(a); }},
    UnaryRow{"ceil", [](double a) { return std::ceil(a); }},
    UnaryRow{"cos", [](double a) { return std::cos(a); }},
    UnaryRow{"cosh", [](double a) { return std::cosh(a); }},
    UnaryRow{"erf", [](double a) { return std::erf(a); }},
    UnaryRow{"exp", [](double a) { return std::exp(a); }},
    UnaryRow{"floor", [](double a) { return std::floor(a); }},
    UnaryRow{"log", [](double a) { return std::log(a); }},
    UnaryRow{"log10", [](double a) { return std::log10(a); }},
    UnaryRow{"sign", [](double a) { return a > 0.0   ? 1.0
                                           : a < 0.0 ? -1.0
                                                     : a; }},
    UnaryRow{"sin", [](double a) { return std::sin(a); }},
    UnaryRow{"sinh", [](double a) { return std::sinh(a); }},
    UnaryRow{"sqrt", [](double a) { return std::sqrt(a); }},
    UnaryRow{"tan", [](double a) { return std::tan(a); }},
    UnaryRow{"tanh", [](double a) { return std::tanh(a); }},
};
struct BinaryRow {
  std::string_view name;
  Binary function;
};
constexpr std::array binary_rows{
    BinaryRow{"atan2", [](double y, double x) { return std::atan2(y, x); }},
    BinaryRow{"hypot", [](double a, double b) { return std::hypot(a, b); }},
    BinaryRow{"mod", [](double a, double b) { return a - b * std::floor(a / b); }},  // of the sign of b
};
struct ManyRow {
  std::string_view name;
  Many function;
};
// What is not a number stays so: std::min would lose it.
constexpr std::array many_rows{
    ManyRow{"max",
            [](const double* values, int count) {
              double most = values[0];
              for (int i = 1; i < count; ++i) most = values[i] > most || std::isnan(values[i]) ? values[i] : most;
              return most;
            }},
    ManyRow{"min",
            [](const double* values, int count) {
              double least = values[0];
              for (int i = 1; i < count; ++i) least = values[i] < least || std::isnan(values[i]) ? values[i] : least;
              return least;
            }},
};

std::vector<std::string_view> function_names() {
  std::vector<std::string_view> names;
  for (const auto& row : unary_rows) names.push_back(row.name);
  for (const auto& row : binary_rows) names.push_back(row.name);
  for (const auto& row : many_rows) names.push_back(row.name);
  std::ranges::sort(names);
  return names;
}

bool is_function(std::string_view name) {
  const auto names = function_names();
  return std::ranges::find(names, name) != names.end();
}

std::string how_many(std::string_view function) {
  if (std::ranges::find(binary_rows, function, &BinaryRow::name) != binary_rows.end()) return "two";
  return std::ranges::find(many_rows, function, &ManyRow::name) != many_rows.end() ? "one or more" : "one";
}

/// What is wrong with a formula, and at which character of it, from 0.
struct Fault {
  std::size_t character = 0;
  std::string message;
  std::string hint = {};
};

/// An '=' that compares nothing: the parser would set variables by it.
std::optional<Fault> find_assignment(std::string_view text) {
  for (std::size_t i = text.find('='); i != text.npos; i = text.find('=', i + 1)) {
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
    } else if (i == 0 || std::string_view("<>!").find(text[i - 1]) == text.npos) {
      return Fault{i, "'=' sets nothing in a formula", "'==' compares; constants stand in a table of their own"};
    }
  }
  return std::nullopt;
}

}  // namespace

struct Formula::Definition {
  std::uint64_t number = 0;  ///< of this formula, in this process
  std::string key;
  std::string text;
  Location where = {};  ///< of the formula
  std::map<std::string, double> constants;
  Range allowed;

  [[nodiscard]] std::string unknown_hint(const std::string& word) const {
    std::vector<std::string_view> names = function_names();
    names.insert(names.end(), axes.begin(), axes.end());
    names.emplace_back("pi");
    for (const auto& [name, value] : constants) names.emplace_back(name);
    if (const auto guess = base::closest(word, names)) return fmt::format("did you mean '{}'?", *guess);
    return "x, y, z, pi, the names in the table of constants, and the functions " + functions();
  }
};

/// A formula as one thread evaluates it.
class Formula::Parser {
 public:
  explicit Parser(const Definition& definition) : number_(definition.number) {
    parser_.ClearFun();
    parser_.ClearConst();
    for (std::size_t axis = 0; axis < axes.size(); ++axis) parser_.DefineVar(std::string(axes[axis]), &place_[axis]);
    parser_.DefineConst("pi", std::numbers::pi);
    for (const auto& [name, value] : definition.constants) parser_.DefineConst(name, value);
    for (const auto& row : unary_rows) parser_.DefineFun(std::string(row.name), row.function);
    for (const auto& row : binary_rows) parser_.DefineFun(std::string(row.name), row.function);
    for (const auto& row : many_rows) parser_.DefineFun(std::string(row.name), row.function);
    parser_.SetExpr(definition.text);
  }
  Parser(const Parser&) = delete;  // it holds addresses of its variables
  Parser& operator=(const Parser&) = delete;
  ~Parser() = default;

  [[nodiscard]] double value(const Place& x) {
    place_ = x;
    return parser_.Eval();
  }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// What is wrong with the formula, if anything is.
  [[nodiscard]] std::optional<Fault> fault(const Definition& definition) {
    try {
      static_cast<void>(parser_.Eval());
      if (parser_.GetNumResults() == 1) return std::nullopt;
      return Fault{definition.text.find(','), "there is a ',' outside of the brackets of a function",
                   "numbers have a '.': 0.5"};
    } catch (const mu::ParserError& error) {
      return fault_of(error, definition);
    }
  }

 private:
  static Fault fault_of(const mu::ParserError& error, const Definition& definition) {
    const std::string& text = definition.text;
    const auto position = static_cast<std::size_t>(std::max(error.GetPos(), 0));
    const std::size_t character = std::min(position, text.size());
    const std::string token = base::printable(error.GetToken(), 40);
    switch (error.GetCode()) {
      case mu::ecEMPTY_EXPRESSION:
        return {0, "the formula is empty"};
      case mu::ecUNASSIGNABLE_TOKEN:
        if (is_function(token)) {
          return {character, fmt::format("the function '{}' stands without its arguments", token),
                  fmt::format("write {}(...)", token)};
        }
        if (const auto end = text.find_first_of(" ()+-*/^,?:<>=!&|", character); end != character) {
          const std::string word = text.substr(character, end == text.npos ? end : end - character);
          return {character, fmt::format("'{}' is unknown", base::printable(word, 40)), definition.unknown_hint(word)};
        }
        return {character, fmt::format("'{}' is not understood", base::printable(text.substr(character, 1)))};
      case mu::ecTOO_MANY_PARAMS:
        return {character, fmt::format("'{}' has too many arguments, expected {}", token, how_many(token))};
      case mu::ecTOO_FEW_PARAMS:
        return {character, fmt::format("'{}' has too few arguments, expected {}", token, how_many(token))};
      case mu::ecUNEXPECTED_EOF:
        return {text.size(), "the formula ends where a number or a name is expected"};
      case mu::ecMISSING_PARENS:
        return {text.size(), "a bracket is not closed", "add a ')'"};
      case mu::ecMISSING_ELSE_CLAUSE:
        return {text.size(), "there is a '?' without its ':'", "write   a ? b : c"};
      case mu::ecUNEXPECTED_VAL:
      case mu::ecUNEXPECTED_VAR:
      case mu::ecUNEXPECTED_FUN:
      case mu::ecUNEXPECTED_PARENS:
        return {character, fmt::format("'{}' is not expected here", token),
                character > 0 ? "is an operator missing before it? A product is written with '*'" : ""};
      case mu::ecEXPRESSION_TOO_LONG:
        return {0, "the formula is too long"};
      default:
        return {character,
                token.empty() ? base::printable(error.GetMsg()) : fmt::format("'{}' is not expected here", token)};
    }
  }

  mu::Parser parser_;
  Place place_{};
  std::uint64_t number_;
};

Formula::Formula(const Parameters& parameters, std::string_view key, std::string_view constants, const Range& allowed) {
  static std::atomic<std::uint64_t> formulas{0};
  const auto definition = std::make_shared<Definition>(Definition{.number = ++formulas,
                                                                  .key = std::string(key),
                                                                  .text = parameters.text(key),
                                                                  .where = parameters.where(key),
                                                                  .constants = parameters.constants(constants),
                                                                  .allowed = allowed});
  definition_ = definition;
  for (const auto& [name, value] : definition->constants) {
    if (name == "pi" || is_function(name) || std::ranges::find(axes, name) != axes.end()) {
      throw Error(parameters.where(constants), fmt::format("{}.{}", constants, name),
                  "is a name that formulas have already", "another name");
    }
  }
  std::optional<Fault> fault = find_assignment(definition->text);
  if (!fault) {
    try {
      fault = Parser(*definition).fault(*definition);
    } catch (const mu::ParserError& error) {
      fault = Fault{0, base::printable(error.GetMsg())};  // what it refuses before it reads: letters, lengths
    }
  }
  if (!fault) return;
  throw Error(parameters.where_in(key, fault->character), definition->key,
              fmt::format("{} (character {} of \"{}\")", fault->message, fault->character + 1,
                          base::printable(definition->text, 100)),
              fault->hint);
}

/// A thread keeps the parsers that it has used last: one for each field, of a few runs at most.
Formula::Parser& Formula::parser() const {
  constexpr std::size_t most = 32;
  thread_local std::vector<std::unique_ptr<Parser>> parsers;
  for (const auto& one : parsers) {
    if (one->number() == definition_->number) return *one;
  }
  if (parsers.size() == most) parsers.erase(parsers.begin());
  return *parsers.emplace_back(std::make_unique<Parser>(*definition_));
}

double Formula::operator()(const Place& x) const { return parser().value(x); }

double Formula::value(const Place& x, const Name& name) const {
  const double value = parser().value(x);
  const Range& range = definition_->allowed;
  const bool is_above = range.lower_open ? value > range.lower : value >= range.lower;
  const bool is_below = range.upper_open ? value < range.upper : value <= range.upper;
  if (std::isfinite(value) && is_above && is_below) [[likely]]
    return value;
  const std::string bounds = detail::bounds_text(range);
  const std::string number = std::isnan(value) ? "nan" : fmt::format("{:.6g}", value);  // which may have a sign
  throw Error(definition_->where, definition_->key,
              fmt::format("is {} in {}, at x = {:.6g}, y = {:.6g}, z = {:.6g}; expected a number{}{}", number, name(),
                          x[0], x[1], x[2], bounds.empty() ? " that is finite" : " ", bounds));
}

const std::string& Formula::text() const noexcept { return definition_->text; }

std::string Formula::functions() {
  std::string text;
  for (const std::string_view name : function_names()) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

}  // namespace tacit::config
