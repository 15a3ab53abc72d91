#include "tuner/kernel/description_check.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "expr/expression.h"

namespace tuner {
namespace {

class References {
 public:
  explicit References(const KernelDescription& kernel) : kernel_(kernel) {}

  // Names that refer to other parts must exist, and no name may stand for two things.
  void check() const {
    std::set<std::string> taken;
    const auto claim = [&](const std::string& name, const std::string& at) {
      if (!taken.insert(name).second)
        kernel_.fail(at, fmt::format("the name '{}' is taken already", name));
    };
    for (const Axis& axis : kernel_.axes) claim(axis.name, axis.pointer + "/name");
    for (const ParameterSpec& spec : kernel_.parameters) claim(spec.name, spec.pointer + "/name");
    std::set<std::string> arguments;
    for (const ArgumentSpec& spec : kernel_.arguments) {
      if (!arguments.insert(spec.name).second)
        kernel_.fail(spec.pointer + "/name", "another argument has this name");
      if (spec.kind == ArgumentSpec::Kind::tensor_map)
        need_buffer(spec.buffer, spec.pointer + "/buffer");
    }
    for (const StepSpec& spec : kernel_.steps) check_step(spec, false);
    for (const StepSpec& spec : kernel_.verify.reference) check_step(spec, true);
    for (std::size_t i = 0; i < kernel_.verify.checks.size(); ++i) check_check(i);
    check_roles();
  }

 private:
  void need_buffer(const std::string& name, const std::string& at) const {
    const ArgumentSpec* argument = kernel_.find_argument(name);
    if (argument == nullptr) unknown_argument(name, at);
    if (argument->kind != ArgumentSpec::Kind::buffer &&
        argument->kind != ArgumentSpec::Kind::constant) {
      kernel_.fail(at, fmt::format("'{}' is not a buffer", name));
    }
  }

  [[noreturn]] void unknown_argument(const std::string& name, const std::string& at) const {
    std::vector<std::string> known;
    for (const ArgumentSpec& argument : kernel_.arguments) known.push_back(argument.name);
    const auto near = expr::nearest_name(name, known);
    kernel_.fail(at, fmt::format("there is no argument '{}'{}", name,
                                 near ? fmt::format("; did you mean '{}'?", *near) : ""));
  }

  void check_step(const StepSpec& spec, bool reference) const {
    if (spec.memset) {
      if (kernel_.find_argument(spec.target) == nullptr)
        unknown_argument(spec.target, spec.pointer + "/memset");
      return;
    }
    for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
      std::string name = spec.arguments[i];
      if (reference && name.ends_with(".initial")) name.resize(name.size() - 8);
      if (kernel_.find_argument(name) == nullptr) {
        unknown_argument(name, fmt::format("{}/arguments/{}", spec.pointer, i));
      }
    }
    for (std::size_t i = 0; i < spec.model.accesses.size(); ++i) {
      const AccessSpec& item = spec.model.accesses[i];
      if (!item.buffer.empty())
        need_buffer(item.buffer, fmt::format("{}/model/accesses/{}/buffer", spec.pointer, i));
    }
  }

  void check_check(std::size_t i) const {
    const std::string& at = kernel_.verify.check_pointers[i];
    need_buffer(kernel_.verify.checks[i].output, at + "/output");
    for (std::size_t j = 0; j < kernel_.verify.checks[i].loads.size(); ++j) {
      need_buffer(kernel_.verify.checks[i].loads[j].buffer,
                  fmt::format("{}/loads/{}/buffer", at, j));
    }
  }

  // NVRTC ignores maxrregcount without a word on a kernel that has __launch_bounds__.
  void check_roles() const {
    std::string first;
    for (const ParameterSpec& spec : kernel_.parameters) {
      if (spec.role.empty()) continue;
      if (first.empty()) first = spec.role;
      if (spec.role != first) {
        kernel_.fail(spec.pointer + "/role",
                     "maxrregcount and min_blocks_per_sm exclude each other: the compiler ignores "
                     "maxrregcount on a kernel "
                     "with __launch_bounds__");
      }
    }
  }

  const KernelDescription& kernel_;
};

}  // namespace

void check_references(const KernelDescription& kernel) { References(kernel).check(); }

}  // namespace tuner
