# Shared by scripts/quickstart and scripts/test: sourced, never run. Brings what the build needs and
# builds; every function may be called again at no cost once its work is done.
# shellcheck shell=bash

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
jobs="$(nproc 2>/dev/null || echo 2)"
readonly root jobs

# shellcheck source=scripts/lib/packages.sh
source "$root/scripts/lib/packages.sh"
# shellcheck source=scripts/lib/cuda.sh
source "$root/scripts/lib/cuda.sh"

say() { printf '%s\n' "== $*" >&2; }
warn() { printf '%s\n' "!! $*" >&2; }
die() {
  warn "$@"
  exit 1
}

# C++20 as the project uses it needs g++ 12; Ubuntu 22.04's plain g++ is 11 and has g++-12 beside it.
choose_compiler() {
  [ -n "${CXX:-}" ] && return
  local candidate
  for candidate in g++ g++-14 g++-13 g++-12; do
    if command -v "$candidate" >/dev/null && [ "$("$candidate" -dumpversion | cut -d. -f1)" -ge 12 ]; then
      export CXX="$candidate"
      return
    fi
  done
  install_packages g++-12 || true
  command -v g++-12 >/dev/null || die "No g++ of version 12 or later was found; install one, or set CXX to a compiler that knows C++20."
  export CXX=g++-12
}

# A clone in another folder finds what was compiled before: the cache keeps no absolute paths.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"

# prepare: packages, compiler and CUDA headers, in that order.
prepare() {
  bring_build_packages
  choose_compiler
  bring_cuda
}

# build PRESET [TARGET]: configures and builds it, or one target of it. The build folder is the preset's.
build() {
  local preset="$1" target="${2:-all}"
  say "Configuring and building ($preset, $jobs jobs)"
  (
    cd "$root" &&
      cmake --preset "$preset" -DTUNER_CUDA_HOME="$TUNER_CUDA_HOME" >&2 &&
      cmake --build --preset "$preset" -j "$jobs" --target "$target" >&2
  ) || die "The build failed; its first error is above."
}
