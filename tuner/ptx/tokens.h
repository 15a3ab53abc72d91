// The words of a PTX text, without its comments.
#pragma once

#include <string_view>
#include <vector>

namespace tuner::ptx {

// A word (a name, an opcode with all its parts, a number, a string), or one punctuation character.
// Refers to the text.
struct Token {
  std::string_view text;
  int line = 0;  // from 1
  char first() const { return text.front(); }
};

std::vector<Token> tokenize(std::string_view text);

}  // namespace tuner::ptx
