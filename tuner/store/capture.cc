#include "tuner/store/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <system_error>

#include "expr/error.h"
#include "tuner/os/files.h"
#include "tuner/store/fields.h"

namespace tuner {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "tuner.capture";
constexpr int kVersion = 1;

[[noreturn]] void fail(const fs::path& file, const char* doing) {
  throw TunerError(fmt::format("Cannot {} {}: {}.", doing, file.string(),
                               std::generic_category().message(errno)));
}

void write_at_end(const fs::path& file, const std::string& line) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) fail(file, "open");
  // In one piece, so that the lines of several processes do not mix.
  const ssize_t written = ::write(fd, line.data(), line.size());
  const int error = written < 0 ? errno : ENOSPC;
  ::close(fd);
  if (written == static_cast<ssize_t>(line.size())) return;
  errno = error;
  fail(file, "write to");
}

CapturedProblem parse_line(const std::string& line, const std::string& origin) {
  nlohmann::ordered_json json;
  try {
    json = nlohmann::ordered_json::parse(line);
  } catch (const nlohmann::json::parse_error&) {
    throw TunerError("this is no JSON");
  }
  check_schema(json, kSchema, kVersion, origin);
  const Fields fields(json, origin + ": ");
  CapturedProblem captured{fields.text("kernel"), fields.values("problem"),
                           fields.integer_or("count", 1), origin};
  if (captured.kernel.empty()) throw TunerError("\"kernel\" is empty");
  if (captured.count < 1) {
    throw TunerError(fmt::format("\"count\" is {}: at least 1 is needed", captured.count));
  }
  return captured;
}

void add(std::vector<CapturedProblem>& all, CapturedProblem captured) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const CapturedProblem& one) {
    return one.kernel == captured.kernel && same_values(one.problem, captured.problem);
  });
  if (same == all.end()) {
    all.push_back(std::move(captured));
  } else if (__builtin_add_overflow(same->count, captured.count, &same->count)) {
    throw TunerError("the counts add up to more than 64 bits hold");
  }
}

}  // namespace

void append_captured(const fs::path& file, const CapturedProblem& captured) {
  const nlohmann::ordered_json json = {{"schema", kSchema},
                                       {"version", kVersion},
                                       {"kernel", captured.kernel},
                                       {"problem", to_json_object(captured.problem)},
                                       {"count", captured.count}};
  write_at_end(file, dump_json(json, -1) + "\n");
}

std::vector<CapturedProblem> load_captured(const fs::path& file) {
  std::istringstream lines(read_file(file));
  std::vector<CapturedProblem> all;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string origin = fmt::format("{}:{}", file.string(), number);
    try {
      add(all, parse_line(line, origin));
    } catch (const TunerError& error) {
      std::string what = error.what();
      if (!what.starts_with(origin)) what.insert(0, origin + ": ");
      throw TunerError(
          fmt::format("{}{} Mend or delete that line; the others stand for themselves.", what,
                      what.ends_with('.') ? "" : "."));
    }
  }
  if (all.empty()) {
    throw TunerError(fmt::format(
        "{} holds no problems: run the application with TUNER_CAPTURE set to this file.",
        file.string()));
  }
  std::stable_sort(all.begin(), all.end(), [](const CapturedProblem& a, const CapturedProblem& b) {
    return a.count > b.count;
  });
  return all;
}

}  // namespace tuner
