#include "search/conjuncts.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "expr/lexer.h"

namespace tuner::search {
namespace {

using expr::TokenKind;

// The parts between the outermost `and`s; the whole text where something that binds less tightly
// (`or`, ?:) stands beside them.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int nesting = 0;
  expr::Lexer lexer(text);
  for (expr::Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.kind == TokenKind::open) ++nesting;
    if (token.kind == TokenKind::close) --nesting;
    if (nesting > 0) continue;
    if (token.kind == TokenKind::or_word || token.kind == TokenKind::question) return {text};
    if (token.kind != TokenKind::and_word) continue;
    parts.push_back(text.substr(begin, token.position - begin));
    begin = token.position + token.spelling.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

std::vector<expr::Expression> conjuncts(const expr::Expression& condition,
                                        const expr::Scope& scope) {
  const std::vector<std::string_view> parts = split(condition.text());
  if (parts.size() == 1) return {condition};
  std::vector<expr::Expression> split_conditions;
  split_conditions.reserve(parts.size());
  for (const std::string_view part : parts) {
    split_conditions.push_back(expr::Expression::compile(part, scope));
  }
  return split_conditions;
}

}  // namespace tuner::search
