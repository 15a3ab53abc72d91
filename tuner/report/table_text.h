// A table as text: for the terminal, for spreadsheets, for documents.
#pragma once

#include <string>

#include "tuner/report/page.h"

namespace tuner {

// Without the columns that are empty in every row.
std::string terminal_text(const PageTable& table, bool bold_heading);
std::string csv_text(const PageTable& table);       // RFC 4180, a heading line first
std::string markdown_text(const PageTable& table);  // GitHub's tables, with the title above

// Broken between words into lines of at most `width` characters, each ended.
std::string wrapped(const std::string& text, std::size_t width = 100);

}  // namespace tuner
