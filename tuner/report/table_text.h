// A table as text: for the terminal, for spreadsheets, for documents.
#pragma once

#include <string>

#include "tuner/report/page.h"

namespace tuner {

std::string terminal_text(const PageTable& table, bool bold_heading);
std::string csv_text(const PageTable& table);       // RFC 4180, a heading line first
std::string markdown_text(const PageTable& table);  // GitHub's tables, with the title above

}  // namespace tuner
