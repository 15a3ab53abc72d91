// Amounts of memory as people write and read them.
#pragma once

#include <cstdint>
#include <string>

namespace tuner {

// "8320", "32K", "32KB", "48KiB", "1M" (binary multiples, any case) in bytes. `origin` (the option)
// begins the TunerError thrown for anything else.
std::int64_t parse_bytes(const std::string& text, const std::string& origin);

// "32 KiB", "8320 B", "131.3 GiB"; exact below a mebibyte.
std::string show_bytes(std::int64_t bytes);

// Four digits and the unit that suits: "1.234 ms", "12.34 us".
std::string show_time_ns(double ns);

}  // namespace tuner
