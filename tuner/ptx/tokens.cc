#include "tuner/ptx/tokens.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace tuner::ptx {
namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

// The end of the word that begins at `at`. Opcodes hold "::" (shared::cluster); a single colon ends
// a label.
std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (in_word(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "::" && at + 2 < text.size() && in_word(text[at + 2])) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

// The end of what begins at `at`: for a comment or a string that never ends, the end of the text.
std::size_t after(std::string_view text, std::size_t at, std::string_view end) {
  const std::size_t found = text.find(end, at);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  int line = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at + 1;
    bool keep = true;
    if (text.substr(at, 2) == "//") {
      end = std::min(text.find('\n', at), text.size());
      keep = false;
    } else if (text.substr(at, 2) == "/*") {
      end = after(text, at + 2, "*/");
      keep = false;
    } else if (text[at] == '"') {
      end = after(text, at + 1, "\"");
    } else if (in_word(text[at])) {
      end = word_end(text, at);
    } else {
      keep = std::isspace(static_cast<unsigned char>(text[at])) == 0 && text[at] != '\0';
    }
    const std::string_view piece = text.substr(at, end - at);
    if (keep) tokens.push_back({piece, line});
    line += static_cast<int>(std::count(piece.begin(), piece.end(), '\n'));
    at = end;
  }
  return tokens;
}

}  // namespace tuner::ptx
