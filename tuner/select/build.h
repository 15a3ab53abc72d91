// Carries a kernel's build plan to the compiler, and what came out of it back to the kernel.
#pragma once

#include <string>
#include <vector>

#include "tuner/compile/compiler.h"
#include "tuner/kernel/kernel.h"

namespace tuner {

CompileJob compile_job(const BuildPlan& plan, const std::string& label, int architecture);
// All of them at once, by all of the compiler's processes; a result for each job, in their order.
std::vector<CompileResult> compile_all(Compiler& compiler, std::vector<CompileJob> jobs);
std::vector<CompiledEntry> compiled_entries(const CompileResult& result);
// With what launches without a model are derived from, for the shapes that are worth the time.
std::vector<CompiledEntry> compiled_entries_with_ptx(const CompileResult& result);

}  // namespace tuner
