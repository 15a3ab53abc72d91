#include "tuner/report/vega_library.h"

#include <fmt/format.h>

#include <cstdlib>

#include "tuner/os/files.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

struct Piece {
  const char* module;  // as the others ask for it
  const char* file;
  bool transforms;  // its exports become data transforms
};

// In the order in which they need each other. Geography, force layouts, trees and word clouds are
// left out.
constexpr Piece kPieces[] = {{"vega-util", "vega-util", false},
                             {"vega-time", "vega-time", false},
                             {"vega-format", "vega-format", false},
                             {"vega-loader", "vega-loader", false},
                             {"vega-dataflow", "vega-dataflow", false},
                             {"vega-statistics", "vega-statistics", false},
                             {"vega-scale", "vega-scale", false},
                             {"vega-canvas", "vega-canvas", false},
                             {"vega-scenegraph", "vega-scenegraph", false},
                             {"vega-transforms", "vega-transforms", true},
                             {"vega-view-transforms", "vega-view-transforms", true},
                             {"vega-encode", "vega-encode", true},
                             {"vega-expression", "vega-expression", false},
                             {"vega-event-selector", "vega-event-selector", false},
                             {"vega-selections", "vega-selection", false},
                             {"vega-functions", "vega-functions", false},
                             {"vega-runtime", "vega-runtime", false},
                             {"vega-view", "vega-view", false},
                             {"vega-parser", "vega-parser", false}};

// A comment at the end names a file that the page does not have.
std::string without_source_map(std::string script) {
  const std::size_t comment = script.rfind("//# sourceMappingURL=");
  if (comment != std::string::npos) script.resize(comment);
  return script;
}

// Ends no <script> element, whatever the strings of the script hold. A "<" and "/" alone must stay:
// regular expressions begin so.
std::string inert(std::string script) {
  for (const char* tag : {"</script", "</SCRIPT", "<!--"}) {
    for (std::size_t at = 0; (at = script.find(tag, at)) != std::string::npos; at += 3) {
      script.insert(at + 1, "\\");
    }
  }
  return script;
}

// Each piece is an AMD module: `define` hands it those before it.
std::string from_pieces(const fs::path& folder) {
  std::string script =
      "const vega=(()=>{const modules={};let name;"
      "const define=(wanted,make)=>{const exports={};"
      "make(...wanted.map(one=>one==='exports'?exports:modules[one]||{}));modules[name]=exports;};"
      "define.amd={};\n";
  std::string transforms;
  for (const Piece& piece : kPieces) {
    script +=
        fmt::format("name='{}';\n{}\n", piece.module,
                    without_source_map(read_file(folder / (std::string(piece.file) + ".min.js"))));
    if (piece.transforms) transforms += fmt::format(",modules['{}']", piece.module);
  }
  return script +
         fmt::format(
             "Object.assign(modules['vega-dataflow'].transforms{});"
             "return "
             "{{View:modules['vega-view'].View,parse:modules['vega-parser'].parse}};}})();\n",
             transforms);
}

bool has_pieces(const fs::path& folder) {
  std::error_code error;
  for (const Piece& piece : kPieces) {
    if (!fs::exists(folder / (std::string(piece.file) + ".min.js"), error)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> vega_script(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "vega.min.js", error)) {
    return inert(without_source_map(read_file(folder / "vega.min.js")));
  }
  if (has_pieces(folder)) return inert(from_pieces(folder));
  return std::nullopt;
}

std::optional<std::string> vega_script() {
  const char* own = std::getenv("TUNER_VEGA");
  return vega_script(own != nullptr && *own != '\0' ? own : "/usr/share/javascript/vega");
}

std::string how_to_install_vega() {
  return "The charts here are plain drawings: Vega was not installed where this report was made. "
         "With the package libjs-vega (apt-get install libjs-vega), or TUNER_VEGA naming a folder "
         "with vega.min.js, they can be pointed at.";
}

}  // namespace tuner
