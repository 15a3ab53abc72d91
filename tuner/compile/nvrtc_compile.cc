#include "tuner/compile/nvrtc_compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include "expr/error.h"
#include "tuner/compile/compiler_log.h"

namespace tuner {
namespace {

// NVRTC's own cache (~/.nv/ComputeCache) would give no log, and a time that is no compile's. Old
// versions know neither the option nor the cache.
constexpr const char* kNoCache = "--no-cache";

// Milliseconds of processor time of all threads of this process.
double processor_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

class [[nodiscard]] Program {
 public:
  Program(const Nvrtc& nvrtc, const CompileRequest& request) : nvrtc_(nvrtc) {
    check(nvrtc.create_program(&program_, request.content.c_str(), request.name.c_str(), 0, nullptr,
                               nullptr),
          "create a program");
    for (const auto* names : {&request.entries, &request.symbols}) {
      for (const std::string& name : *names) {
        check(nvrtc_.add_name_expression(program_,
                                         expression(name, names == &request.symbols).c_str()),
              "add " + name);
      }
    }
  }
  ~Program() { nvrtc_.destroy_program(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return nvrtc_.compile_program(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  std::string log() const {
    std::size_t size = 0;
    check(nvrtc_.get_program_log_size(program_, &size), "read the log");
    std::string text(size, '\0');
    check(nvrtc_.get_program_log(program_, text.data()), "read the log");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  std::string cubin() const {
    std::size_t size = 0;
    check(nvrtc_.get_cubin_size(program_, &size), "read the cubin");
    std::string bytes(size, '\0');
    check(nvrtc_.get_cubin(program_, bytes.data()), "read the cubin");
    return bytes;
  }

  std::string ptx() const {
    std::size_t size = 0;
    check(nvrtc_.get_ptx_size(program_, &size), "read the PTX");
    std::string text(size, '\0');
    check(nvrtc_.get_ptx(program_, text.data()), "read the PTX");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  std::string lowered_name(const std::string& name, bool is_symbol) const {
    const char* lowered = nullptr;
    check(nvrtc_.get_lowered_name(program_, expression(name, is_symbol).c_str(), &lowered),
          "find " + name);
    return lowered;
  }

 private:
  // A variable's name expression is its address.
  static std::string expression(const std::string& name, bool is_symbol) {
    return is_symbol && !name.starts_with('&') ? "&" + name : name;
  }

  void check(nvrtcResult result, const std::string& action) const {
    if (result == NVRTC_SUCCESS) return;
    throw TunerError(fmt::format("NVRTC cannot {}: {}", action, nvrtc_.get_error_string(result)));
  }

  const Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

EntryFacts facts_of(const std::string& entry, const std::string& lowered,
                    const std::map<std::string, EntryFacts>& infos) {
  const auto info = infos.find(lowered);
  if (info == infos.end()) {
    throw TunerError(
        fmt::format("{} is no kernel: the compiler's log says nothing of {}.", entry, lowered));
  }
  EntryFacts facts = info->second;
  facts.entry = entry;
  return facts;
}

void read_results(const Program& program, const CompileRequest& request, CompileReply& reply) {
  const auto infos = parse_ptxas_info(reply.log);
  for (const std::string& entry : request.entries) {
    reply.entries.push_back(facts_of(entry, program.lowered_name(entry, false), infos));
  }
  for (const std::string& symbol : request.symbols) {
    reply.symbol_names.push_back(program.lowered_name(symbol, true));
  }
  reply.cubin = program.cubin();
  if (request.keep_ptx) reply.ptx = program.ptx();
  reply.ok = true;
}

nvrtcResult compile_uncached(Program& program, std::vector<std::string> options) {
  options.emplace_back(kNoCache);
  const nvrtcResult result = program.compile(options);
  if (result != NVRTC_ERROR_INVALID_OPTION || program.log().find(kNoCache) == std::string::npos) {
    return result;
  }
  options.pop_back();
  return program.compile(options);
}

}  // namespace

CompileReply compile(const Nvrtc& nvrtc, const CompileRequest& request) {
  CompileReply reply;
  try {
    Program program(nvrtc, request);
    const double begin_ms = processor_ms();
    const nvrtcResult result = compile_uncached(program, request.options);
    reply.compile_ms = processor_ms() - begin_ms;
    reply.log = program.log();
    if (result == NVRTC_SUCCESS) {
      read_results(program, request, reply);
    } else {
      reply.reason = first_error(reply.log, nvrtc.get_error_string(result));
    }
  } catch (const TunerError& error) {
    reply.reason = error.what();
  }
  return reply;
}

}  // namespace tuner
