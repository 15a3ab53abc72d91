// Names of the kernels' descriptions as names of C++.
#pragma once

#include <string>
#include <string_view>

namespace tuner {

bool is_cpp_word(std::string_view name);

// Words of C++ and names that the header uses itself get an underscore; what is no letter, digit or
// underscore becomes one. Throws TunerError where nothing is left to name a thing by.
std::string cpp_identifier(std::string_view name);

// A C++ string literal of any text.
std::string cpp_string(std::string_view text);

}  // namespace tuner
