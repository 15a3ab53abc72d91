// What a compiler log says: each kernel's use of registers and memory, and the first error.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "tuner/compile/compiler.h"

namespace tuner {

// From the lines that --ptxas-options=-v brings, by lowered name; `entry` is left empty. Spills of
// functions that were not inlined count for the entry that is compiled with them.
std::map<std::string, EntryFacts> parse_ptxas_info(std::string_view log);

// The first line that reports an error, without folders and shortened to one readable line;
// `fallback` where there is none.
std::string first_error(std::string_view log, std::string_view fallback);

}  // namespace tuner
