#include <fmt/format.h>

#include <algorithm>

#include "expr/error.h"
#include "expr/expression.h"
#include "tuner/kernel/kernel.h"
#include "tuner/os/paths.h"

namespace tuner {
namespace fs = std::filesystem;

std::vector<KernelDescription> built_in_kernels(const fs::path& data) {
  std::vector<KernelDescription> kernels;
  for (const auto& entry : fs::directory_iterator(data_folder(data) / "kernels_src")) {
    if (fs::is_regular_file(entry.path() / "kernel.json")) {
      kernels.push_back(load_kernel_description(entry.path(), data));
    }
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return kernels;
}

KernelDescription find_kernel(const std::string& name_or_path, const fs::path& data) {
  const fs::path path = name_or_path;
  const bool is_path = path.has_parent_path() || path.extension() == ".json";
  const auto loadable = [](const fs::path& place) {
    return fs::is_regular_file(place) || fs::is_regular_file(place / "kernel.json");
  };
  std::vector<std::string> names;
  if (!is_path) {
    // Mostly a kernel's folder has its name, and the others need not be read.
    const fs::path folder = data_folder(data) / "kernels_src" / path;
    if (!path.empty() && fs::is_regular_file(folder / "kernel.json")) {
      KernelDescription kernel = load_kernel_description(folder, data);
      if (kernel.name == name_or_path) return kernel;
    }
    for (KernelDescription& kernel : built_in_kernels(data)) {
      if (kernel.name == name_or_path) return std::move(kernel);
      names.push_back(kernel.name);
    }
  }
  if (!name_or_path.empty() && loadable(path)) return load_kernel_description(path, data);
  if (is_path && loadable(data_folder(data) / path))
    return load_kernel_description(data_folder(data) / path, data);
  if (is_path) {
    throw TunerError(
        fmt::format("{}: there is no kernel.json here; name a folder that holds one, or the file",
                    name_or_path));
  }
  const auto near = expr::nearest_name(name_or_path, names);
  throw TunerError(fmt::format("there is no kernel '{}'{}; the built-in ones are: {}", name_or_path,
                               near ? fmt::format("; did you mean '{}'?", *near) : "",
                               fmt::join(names, " ")));
}

}  // namespace tuner
