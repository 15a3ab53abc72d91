// Text that others chose (names, reasons, files) made inert where it is shown. Bytes that are no
// UTF-8 become U+FFFD in all of them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tuner {

std::string valid_utf8(std::string_view text);

// For text and quoted attributes of HTML and SVG. Control characters, which XML forbids, become
// U+FFFD.
std::string html_escaped(std::string_view text);

// JSON for a <script> element: no '<', so no end tag and no comment can begin in it.
std::string script_json(const nlohmann::ordered_json& json);

// One field of RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe in
// front; numbers do not.
std::string csv_field(std::string_view text);

// Control characters, and those that turn the direction of text, as escapes: "\n", "\x1b",
// "\u202e". Nothing moves a cursor or sets a colour.
std::string terminal_safe(std::string_view text);

}  // namespace tuner
