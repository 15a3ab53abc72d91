// Splits an expression's text into tokens. A token views the text, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tuner::expr {

enum class TokenKind : std::uint8_t {
  end,
  integer,  // magnitude
  real,
  text,  // spelling without its quotes
  name,
  // from here on, kinds without a value
  true_word,
  false_word,
  not_word,
  and_word,
  or_word,
  plus,
  minus,
  star,
  slash,
  percent,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  question,
  colon,
  comma,
  open,
  close,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t position = 0;  // byte offset into the text
  std::string_view spelling = {};
  std::uint64_t magnitude = 0;  // at most 2^63, which only a minus sign makes fit
  double real = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  // All tokens of `text` are at `position` of another text, where it stands under a name.
  Lexer(std::string_view text, std::size_t position) : text_(text), stands_at_(position) {}

  // The next token; `end` for ever after the last. Throws ExpressionError.
  Token next();

 private:
  Token scan();
  Token number();
  Token quoted(char quote);
  Token word();
  Token symbol();
  Token integer(std::size_t begin, std::size_t digits, int base);
  Token real(std::size_t begin);
  std::size_t skip_digits(std::size_t from) const;
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }

  std::string_view text_;
  std::optional<std::size_t> stands_at_;
  std::size_t position_ = 0;
};

// Whether a scope may use `name`: [A-Za-z_][A-Za-z0-9_]* and not a word of the language.
bool is_identifier(std::string_view name);

}  // namespace tuner::expr
