#include "expr/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "expr/expression.h"

namespace tuner::expr {
namespace {

// <cctype> depends on the locale and is undefined for negative chars.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_word(char c) { return begins_word(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr const char* kMalformedNumber = "this is neither a number nor a name";

struct Spelling {
  std::string_view text;
  TokenKind kind;
};

constexpr auto kWords = std::to_array<Spelling>({
    {"true", TokenKind::true_word},
    {"false", TokenKind::false_word},
    {"not", TokenKind::not_word},
    {"and", TokenKind::and_word},
    {"or", TokenKind::or_word},
});

// Longer symbols come before those that they begin with.
constexpr auto kSymbols = std::to_array<Spelling>({
    {"==", TokenKind::equal},
    {"!=", TokenKind::not_equal},
    {"<=", TokenKind::less_equal},
    {">=", TokenKind::greater_equal},
    {"<", TokenKind::less},
    {">", TokenKind::greater},
    {"+", TokenKind::plus},
    {"-", TokenKind::minus},
    {"*", TokenKind::star},
    {"/", TokenKind::slash},
    {"%", TokenKind::percent},
    {"?", TokenKind::question},
    {":", TokenKind::colon},
    {",", TokenKind::comma},
    {"(", TokenKind::open},
    {")", TokenKind::close},
});

// What other languages write, and what this one has instead.
struct Foreign {
  std::string_view symbol;
  std::string_view advice;
};

constexpr auto kForeign = std::to_array<Foreign>({
    {"&&", "write 'and'"},
    {"||", "write 'or'"},
    {"!", "write 'not'"},
    {"=", "write '==' to compare"},
});

std::string describe_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7F) return fmt::format("unexpected '{}'", c);
  return fmt::format("unexpected byte 0x{:02x}", byte);
}

std::string describe_foreign(std::string_view rest) {
  for (const Foreign& foreign : kForeign) {
    if (rest.starts_with(foreign.symbol)) {
      return fmt::format("unexpected '{}'; {}", foreign.symbol, foreign.advice);
    }
  }
  return describe_byte(rest.front());
}

}  // namespace

bool is_identifier(std::string_view name) {
  if (name.empty() || !begins_word(name.front())) return false;
  if (!std::ranges::all_of(name, continues_word)) return false;
  return std::ranges::find(kWords, name, &Spelling::text) == kWords.end();
}

Token Lexer::next() {
  Token token = scan();
  token.position = stands_at_.value_or(token.position);
  return token;
}

Token Lexer::scan() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  if (position_ == text_.size()) return {.kind = TokenKind::end, .position = position_};
  const char c = text_[position_];
  if (is_digit(c)) return number();
  if (c == '\'' || c == '"') return quoted(c);
  if (begins_word(c)) return word();
  return symbol();
}

std::size_t Lexer::skip_digits(std::size_t from) const {
  while (is_digit(at(from))) ++from;
  return from;
}

Token Lexer::number() {
  const std::size_t begin = position_;
  if (at(begin) == '0' && (at(begin + 1) == 'x' || at(begin + 1) == 'X')) {
    return integer(begin, begin + 2, 16);
  }
  const std::size_t end = skip_digits(begin);
  const bool is_real = at(end) == '.' || at(end) == 'e' || at(end) == 'E';
  return is_real ? real(begin) : integer(begin, begin, 10);
}

Token Lexer::integer(std::size_t begin, std::size_t digits, int base) {
  Token token{.kind = TokenKind::integer, .position = begin};
  const char* first = text_.data() + digits;
  const auto [end, error] =
      std::from_chars(first, text_.data() + text_.size(), token.magnitude, base);
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 63U;
  if (error == std::errc::result_out_of_range || token.magnitude > kLargest) {
    throw ExpressionError(text_, begin, "this integer does not fit 64 bits");
  }
  position_ = static_cast<std::size_t>(end - text_.data());
  if (error != std::errc{} || continues_word(at(position_))) {
    throw ExpressionError(text_, begin, kMalformedNumber);
  }
  token.spelling = text_.substr(begin, position_ - begin);
  return token;
}

Token Lexer::real(std::size_t begin) {
  Token token{.kind = TokenKind::real, .position = begin};
  const char* first = text_.data() + begin;
  const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), token.real);
  if (error == std::errc::result_out_of_range) {
    throw ExpressionError(text_, begin, "this number does not fit a double");
  }
  position_ = static_cast<std::size_t>(end - text_.data());
  // from_chars takes "1." and "1.e5", and stops before the e of "1e": the language has none of
  // them.
  const std::size_t point = skip_digits(begin);
  const bool bare_point = at(point) == '.' && !is_digit(at(point + 1));
  if (error != std::errc{} || bare_point || continues_word(at(position_)) || at(position_) == '.') {
    throw ExpressionError(text_, begin, kMalformedNumber);
  }
  token.spelling = text_.substr(begin, position_ - begin);
  return token;
}

Token Lexer::quoted(char quote) {
  const std::size_t begin = position_;
  const std::size_t end = text_.find(quote, begin + 1);
  if (end == std::string_view::npos) {
    throw ExpressionError(text_, begin, fmt::format("this text has no closing {}", quote));
  }
  position_ = end + 1;
  return {.kind = TokenKind::text,
          .position = begin,
          .spelling = text_.substr(begin + 1, end - begin - 1)};
}

Token Lexer::word() {
  const std::size_t begin = position_;
  while (continues_word(at(position_))) ++position_;
  const std::string_view spelling = text_.substr(begin, position_ - begin);
  const auto found = std::ranges::find(kWords, spelling, &Spelling::text);
  return {.kind = found == kWords.end() ? TokenKind::name : found->kind,
          .position = begin,
          .spelling = spelling};
}

Token Lexer::symbol() {
  const std::string_view rest = text_.substr(position_);
  const auto found = std::ranges::find_if(
      kSymbols, [&](const Spelling& symbol) { return rest.starts_with(symbol.text); });
  if (found == kSymbols.end()) throw ExpressionError(text_, position_, describe_foreign(rest));
  const Token token{.kind = found->kind, .position = position_, .spelling = found->text};
  position_ += found->text.size();
  return token;
}

}  // namespace tuner::expr
