// Vega's script, from the package libjs-vega of Debian and Ubuntu or from a file of one's own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tuner {

// A script that sets `vega`, fit for a <script> element; nullopt where it is not installed here.
// Looked for in the folder $TUNER_VEGA, else in /usr/share/javascript/vega: the bundle vega.min.js,
// or the pieces that the package holds.
std::optional<std::string> vega_script();
std::optional<std::string> vega_script(const std::filesystem::path& folder);

// What a page without charts of Vega says to its reader.
std::string how_to_install_vega();

}  // namespace tuner
