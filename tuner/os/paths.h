// Where things are: our executable, its data (kernels, profiles, schemas), the user's folders
// (XDG).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner {

std::filesystem::path self_executable();  // /proc/self/exe
std::string tool_version();               // "0.1.0"
// Installed: <prefix>/share/tuner beside the executable; in a build tree: the source folder.
// Throws TunerError where neither holds kernels_src.
std::filesystem::path data_folder();
std::filesystem::path user_cache_folder();  // $XDG_CACHE_HOME/tuner, else ~/.cache/tuner
std::filesystem::path user_data_folder();   // $XDG_DATA_HOME/tuner, else ~/.local/share/tuner

}  // namespace tuner
