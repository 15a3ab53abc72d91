#include "expr/parser.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "expr/builder.h"
#include "expr/functions.h"
#include "expr/lexer.h"
#include "expr/operators.h"

namespace tuner::expr {
namespace {

constexpr int kDeepest = 200;  // of nested parts: bounds the parser's use of the stack

// How strongly an operator binds; the order is what matters.
enum Power : int { none, choice, either, both, inverse, comparison, sum, product, sign };

Power infix_power(TokenKind kind) {
  if (is_comparison(kind)) return comparison;
  switch (kind) {
    case TokenKind::question:
      return choice;
    case TokenKind::or_word:
      return either;
    case TokenKind::and_word:
      return both;
    case TokenKind::plus:
    case TokenKind::minus:
      return sum;
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent:
      return product;
    default:
      return none;
  }
}

std::string describe(const Token& token) {
  return token.kind == TokenKind::end ? "the end" : fmt::format("'{}'", token.spelling);
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const auto nearest = nearest_name(name, known);
  return nearest ? fmt::format("; did you mean '{}'?", *nearest) : std::string();
}

class Parser {
 public:
  Parser(std::string_view text, const Scope& scope)
      : lexer_(text), builder_(text, scope), token_(lexer_.next()) {}

  Program run() && {
    const Part value = part(choice);
    if (token_.kind != TokenKind::end) {
      builder_.fail(token_.position,
                    fmt::format("expected an operator, found {}", describe(token_)));
    }
    return std::move(builder_).finish(value);
  }

 private:
  Part part(int weakest);
  Part prefix(int weakest);
  Part infix(const Part& left, Power power);
  Part minus();
  Part inversion(int weakest);
  Part group();
  Part named();
  Part defined(const Token& name, std::string_view text);
  Part call(const Token& name);
  Part choose(const Part& condition);
  Part chosen(bool condition);
  void check_unify(std::size_t colon, Type then, Type last) const;
  Part short_circuit(const Token& op, const Part& left, Power power);
  Part literal(const Token& token);
  Part whole(const Token& token);

  Token take() { return std::exchange(token_, lexer_.next()); }
  void expect(TokenKind kind, std::string_view what);

  Lexer lexer_;
  Builder builder_;
  Token token_;  // the next one
  int depth_ = 0;
};

void Parser::expect(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) {
    builder_.fail(token_.position, fmt::format("expected {}, found {}", what, describe(token_)));
  }
  take();
}

// A part whose operators all bind at least as strongly as `weakest`. An error ends the parse, so
// that only the way out that succeeds needs to restore the depth.
Part Parser::part(int weakest) {
  if (++depth_ > kDeepest) builder_.fail(token_.position, "this expression is nested too deeply");
  Part left = prefix(weakest);
  for (;;) {
    const Power power = infix_power(token_.kind);
    if (power == none || power < weakest) break;
    left = infix(left, power);
  }
  --depth_;
  return left;
}

Part Parser::prefix(int weakest) {
  switch (token_.kind) {
    case TokenKind::name:
      return named();
    case TokenKind::open:
      return group();
    case TokenKind::minus:
      return minus();
    case TokenKind::not_word:
      return inversion(weakest);
    default:
      return literal(take());
  }
}

Part Parser::literal(const Token& token) {
  switch (token.kind) {
    case TokenKind::integer:
      return whole(token);
    case TokenKind::real:
      return builder_.constant({.d = token.real}, Type::real, token.position);
    case TokenKind::text: {
      const Cell id = builder_.scope().encode(std::string(token.spelling), Type::text);
      return builder_.constant(id, Type::text, token.position);
    }
    case TokenKind::true_word:
    case TokenKind::false_word: {
      const Cell flag{.i = token.kind == TokenKind::true_word ? 1 : 0};
      return builder_.constant(flag, Type::boolean, token.position);
    }
    default:
      builder_.fail(token.position, fmt::format("expected a value, found {}", describe(token)));
  }
}

Part Parser::whole(const Token& token) {
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (token.magnitude > kLargest) {
    builder_.fail(token.position, "this integer does not fit 64 bits");
  }
  return builder_.constant({.i = static_cast<std::int64_t>(token.magnitude)}, Type::integer,
                           token.position);
}

Part Parser::minus() {
  const std::size_t position = take().position;
  constexpr std::uint64_t kSmallest = std::uint64_t{1} << 63U;
  // The one integer whose magnitude alone does not fit.
  if (token_.kind == TokenKind::integer && token_.magnitude == kSmallest) {
    take();
    return builder_.constant({.i = std::numeric_limits<std::int64_t>::min()}, Type::integer,
                             position);
  }
  return negated(builder_, part(sign), position);
}

Part Parser::inversion(int weakest) {
  const std::size_t position = take().position;
  if (weakest > inverse) {
    builder_.fail(position, "'not' binds more weakly than what stands before it; use parentheses");
  }
  return inverted(builder_, part(inverse), position);
}

Part Parser::group() {
  const std::size_t position = take().position;
  Part inner = part(choice);
  expect(TokenKind::close, "')'");
  inner.position = position;
  return inner;
}

Part Parser::named() {
  const Token name = take();
  if (token_.kind == TokenKind::open) return call(name);
  const Scope& scope = builder_.scope();
  if (const auto slot = scope.find(name.spelling)) return builder_.slot(*slot, name.position);
  if (const std::string* text = scope.definition(name.spelling)) return defined(name, *text);
  builder_.fail(name.position, fmt::format("unknown name '{}'{}", name.spelling,
                                           did_you_mean(name.spelling, scope.names())));
}

// The text of a definition, as if it stood here in parentheses. It compiled by itself when it was
// made, so all of it is one part.
Part Parser::defined(const Token& name, std::string_view text) {
  const Lexer outer = std::exchange(lexer_, Lexer(text, name.position));
  const Token behind = std::exchange(token_, lexer_.next());
  const Part value = part(choice);
  lexer_ = outer;
  token_ = behind;
  return value;
}

Part Parser::call(const Token& name) {
  const Function* function = find_function(name.spelling);
  if (function == nullptr) {
    builder_.fail(name.position, fmt::format("unknown function '{}'{}", name.spelling,
                                             did_you_mean(name.spelling, function_names())));
  }
  take();
  std::vector<Part> arguments;
  if (token_.kind != TokenKind::close) {
    arguments.push_back(part(choice));
    while (token_.kind == TokenKind::comma) {
      take();
      arguments.push_back(part(choice));
    }
  }
  expect(TokenKind::close, "',' or ')'");
  return compile_call(builder_, *function,
                      {.name = name.spelling, .position = name.position, .arguments = arguments});
}

Part Parser::infix(const Part& left, Power power) {
  const Token op = take();
  if (power == choice) return choose(left);
  if (power == either || power == both) return short_circuit(op, left, power);
  const Part right = part(power + 1);
  if (power == comparison && is_comparison(token_.kind)) {
    builder_.fail(token_.position, "comparisons do not chain; join two with 'and'");
  }
  return operate(builder_, op, left, right);
}

Part Parser::choose(const Part& condition) {
  require(builder_, condition, Type::boolean, "'?'");
  if (const auto known = builder_.known(condition)) return chosen(known->i != 0);
  const auto branch = builder_.begin_branch(Op::jump_if_false, condition);
  const Part then = part(choice);
  const std::size_t colon = token_.position;
  expect(TokenKind::colon, "':'");
  const auto otherwise = builder_.begin_otherwise(branch, then);
  const Part last = part(choice);
  check_unify(colon, then.type, last.type);
  return builder_.end_choice(otherwise, last);
}

void Parser::check_unify(std::size_t colon, Type then, Type last) const {
  if (unify(then, last)) return;
  builder_.fail(colon, fmt::format("'?:' cannot be {} or {}", to_string(then), to_string(last)));
}

// Where the condition is known, the other part is parsed for its errors only.
Part Parser::chosen(bool condition) {
  const auto before = builder_.mark();
  const Part then = part(choice);
  if (!condition) builder_.take_back(before);
  const std::size_t colon = token_.position;
  expect(TokenKind::colon, "':'");
  const auto between = builder_.mark();
  const Part last = part(choice);
  if (condition) builder_.take_back(between);
  check_unify(colon, then.type, last.type);
  const Part& value = condition ? then : last;
  const bool widens = then.type != last.type && value.type == Type::integer;
  return widens ? builder_.widened(value) : value;
}

Part Parser::short_circuit(const Token& op, const Part& left, Power power) {
  const auto who = fmt::format("'{}'", op.spelling);
  require(builder_, left, Type::boolean, who);
  if (const auto known = builder_.known(left)) {
    const bool decides = (known->i != 0) == (power == either);
    const auto before = builder_.mark();
    const Part right = part(power + 1);
    require(builder_, right, Type::boolean, who);
    if (decides) builder_.take_back(before);
    return decides ? left : right;
  }
  const auto branch =
      builder_.begin_branch(power == both ? Op::jump_if_false : Op::jump_if_true, left);
  const Part right = part(power + 1);
  require(builder_, right, Type::boolean, who);
  return builder_.end_short_circuit(branch, right);
}

}  // namespace

Program parse(std::string_view text, const Scope& scope) { return Parser(text, scope).run(); }

}  // namespace tuner::expr
