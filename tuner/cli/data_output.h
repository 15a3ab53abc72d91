// --csv and --md: a command's tables for other programs.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "tuner/cli/command.h"
#include "tuner/report/page.h"

namespace tuner {

struct DataOutput {
  std::string csv, markdown;  // file, "-" for stdout, empty for none

  void add_to(CLI::App& app);
  // Throws TunerError now where a file cannot be written later.
  void check() const;
  // The tables where they were asked for, one below the other; `text` too, where standard output is
  // not for data.
  void write(const Output& output, std::span<const PageTable> tables,
             const std::string& text) const;
};

}  // namespace tuner
