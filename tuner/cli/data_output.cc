#include "tuner/cli/data_output.h"

#include <iostream>

#include "tuner/os/files.h"
#include "tuner/report/table_text.h"

namespace tuner {
namespace {

std::string joined(std::span<const PageTable> tables, std::string (*form)(const PageTable&)) {
  std::string text;
  for (const PageTable& table : tables) text += (text.empty() ? "" : "\n") + form(table);
  return text;
}

void write_to(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  if (file == "-") {
    std::cout << text << std::flush;
  } else {
    write_file_atomically(file, text);
  }
}

}  // namespace

void DataOutput::add_to(CLI::App& app) {
  app.add_option("--csv", csv, "the tables as CSV in this file, or - for standard output")
      ->type_name("FILE");
  app.add_option("--md", markdown, "the tables in Markdown, likewise")->type_name("FILE");
}

void DataOutput::check() const {
  for (const std::string& file : {csv, markdown}) {
    if (!file.empty() && file != "-") check_writable(file);
  }
}

void DataOutput::write(const Output& output, std::span<const PageTable> tables,
                       const std::string& text) const {
  write_to(csv, joined(tables, csv_text));
  write_to(markdown, joined(tables, markdown_text));
  if (csv != "-" && markdown != "-") output.text(text);
}

}  // namespace tuner
