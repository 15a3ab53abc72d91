#include "tests/cli/run_tuner.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tuner::cli {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "tuner-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  return name;
}

void kill_later(pid_t pid, double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  kill(pid, SIGKILL);
}

int spawn_and_wait(std::vector<std::string>& words, const std::filesystem::path& folder,
                   double kill_after_s) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), flags, 0600);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error("cannot start " + words.front());
  if (kill_after_s > 0) kill_later(pid, kill_after_s);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Ran run_and_catch(std::vector<std::string> arguments, double kill_after_s) {
  arguments.insert(arguments.begin(), TUNER_BINARY);
  const std::filesystem::path folder = make_folder();
  Ran run;
  run.code = spawn_and_wait(arguments, folder, kill_after_s);
  run.out = contents(folder / "out");
  run.err = contents(folder / "err");
  std::filesystem::remove_all(folder);
  return run;
}

}  // namespace

Ran run_tuner(std::vector<std::string> arguments) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  return run_and_catch(std::move(arguments), 0);
}

Ran run_tuner_on_gpu(std::vector<std::string> arguments, double kill_after_s) {
  return run_and_catch(std::move(arguments), kill_after_s);
}

}  // namespace tuner::cli
