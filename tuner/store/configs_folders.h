// Where tuned results are written, and where they are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner {

struct ConfigsFolders {
  std::filesystem::path write;  // also the first that is searched
  std::string chosen_by;        // "--configs", "TUNER_CONFIGS" or "the user's data folder"
  std::vector<std::filesystem::path> search;  // in order; the last is what came with the tool
};

// `given`: the value of --configs, empty where it is not set. Else the environment variable
// TUNER_CONFIGS, else the user's data folder (XDG).
// `data`: the data folder; empty: data_folder().
ConfigsFolders configs_folders(const std::filesystem::path& given = {},
                               const std::filesystem::path& data = {});

}  // namespace tuner
