// Where things are: our executable, its data (kernels, profiles, schemas), the user's folders
// (XDG).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner {

std::filesystem::path self_executable();  // /proc/self/exe
std::string tool_version();               // "0.1.0"
// `given` where it is not empty; else the environment variable TUNER_DATA; else, as installed,
// <prefix>/share/tuner beside the executable or the shared library that this code is in; in a build
// tree: the source folder. Throws TunerError where what was named, or none of these, holds
// kernels_src.
std::filesystem::path data_folder(const std::filesystem::path& given = {});
// The tuner of the same installation or build tree, for programs that link the run-time library:
// $TUNER_EXECUTABLE, else bin/tuner of that prefix; empty where there is none.
std::filesystem::path tool_executable();
std::filesystem::path user_cache_folder();  // $XDG_CACHE_HOME/tuner, else ~/.cache/tuner
std::filesystem::path user_data_folder();   // $XDG_DATA_HOME/tuner, else ~/.local/share/tuner

}  // namespace tuner
