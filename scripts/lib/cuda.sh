# The CUDA headers and NVRTC: a CUDA Toolkit where there is a fit one, else NVIDIA's Python wheels.
# Sourced by common.sh. The driver library is never needed to build.
# shellcheck shell=bash disable=SC2154  # root is set by common.sh

readonly cuda_minimum=12.4
readonly wheels_home="$root/build/cuda"

# What the tuner is built against and what it compiles kernels with. cccl holds cuda/std and
# nv/target, which cuda_fp16.h includes; the crt headers are a package of their own in 13, nvcc's in 12.
readonly wheels_13='nvidia-cuda-nvrtc==13.0.* nvidia-cuda-runtime==13.0.* nvidia-cuda-crt==13.0.* nvidia-cuda-cccl==13.0.*'
readonly wheels_12='nvidia-cuda-nvrtc-cu12==12.9.* nvidia-cuda-runtime-cu12==12.9.* nvidia-cuda-nvcc-cu12==12.9.* nvidia-cuda-cccl-cu12==12.9.*'

# The CUDA version that the driver supports, as 13.0; nothing where there is no driver.
driver_cuda_version() {
  command -v nvidia-smi >/dev/null || return 0
  nvidia-smi 2>/dev/null | sed -nE 's/.*CUDA( [A-Z]+)? Version: *([0-9]+\.[0-9]+).*/\2/p' | head -n 1
}

has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

# version_at_least HAVE WANT
version_at_least() {
  [ "$(printf '%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# The version of the CUDA headers in a folder laid out like a toolkit, as 12.4.
cuda_home_version() {
  sed -nE 's/^#define CUDA_VERSION ([0-9]+).*/\1/p' "$1/include/cuda.h" 2>/dev/null |
    awk '{ printf "%d.%d\n", $1 / 1000, $1 % 1000 / 10; exit }'
}

nvrtc_is_in() {
  compgen -G "$1/lib64/libnvrtc.so*" >/dev/null || compgen -G "$1/lib/libnvrtc.so*" >/dev/null ||
    compgen -G "$1/targets/*/lib/libnvrtc.so*" >/dev/null ||
    compgen -G "$1/lib/*-linux-gnu/libnvrtc.so*" >/dev/null
}

# why_unfit HOME: what is wrong with it as a CUDA home, in words; nothing where it is fit.
why_unfit() {
  local home="$1" header version driver
  for header in cuda.h nvrtc.h cuda_occupancy.h; do
    [ -e "$home/include/$header" ] || { echo "it has no include/$header" && return; }
  done
  nvrtc_is_in "$home" || { echo "it has no libnvrtc.so" && return; }
  version="$(cuda_home_version "$home")"
  version_at_least "${version:-0}" "$cuda_minimum" ||
    { echo "it is CUDA ${version:-of an unknown version}, and $cuda_minimum or later is needed" && return; }
  driver="$(driver_cuda_version)"
  [ -z "$driver" ] || [ "${version%%.*}" -le "${driver%%.*}" ] ||
    echo "it is CUDA $version, and the driver runs at most $driver"
}

# Where a toolkit may be, most wanted first.
toolkit_candidates() {
  [ -z "${CUDA_HOME:-}" ] || echo "$CUDA_HOME"
  [ -z "${CUDA_PATH:-}" ] || echo "$CUDA_PATH"
  local nvcc
  if nvcc="$(type -P nvcc)"; then
    dirname "$(dirname "$(readlink -f "$nvcc")")"
  fi
  compgen -G '/usr/local/cuda' || true
  compgen -G '/usr/local/cuda-*' | sort -rV || true
}

find_toolkit() {
  local home reason
  while read -r home; do
    [ -d "$home" ] || continue
    reason="$(why_unfit "$home")"
    if [ -z "$reason" ]; then
      echo "$home"
      return
    fi
    warn "Passing over $home: $reason."
  done < <(toolkit_candidates | awk '!seen[$0]++')
  return 1
}

# TUNER_HIDE_TOOLKIT=1 acts as a machine without a toolkit does: for the build, and for what runs after.
hide_toolkit() {
  unset CUDA_HOME CUDA_PATH
  local folder kept=''
  while read -r -d : folder; do
    # A folder that links to nvcc among other commands stays.
    if [ ! -x "$folder/nvcc" ] || [ ! -e "$folder/../include/cuda.h" ]; then
      kept="$kept:$folder"
    fi
  done <<<"$PATH:"
  export PATH="${kept#:}"
}

# A python that has pip, on stdout: the machine's own, else a virtual environment's.
python_with_pip() {
  if python3 -m pip --version >/dev/null 2>&1; then
    echo python3
    return
  fi
  local venv="$root/build/venv"
  if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    python3 -m venv --clear "$venv" >/dev/null 2>&1 ||
      { install_packages python3-venv && python3 -m venv --clear "$venv" >&2; } || return 1
  fi
  echo "$venv/bin/python"
}

# lay_out UNPACKED HOME: the wheels' folders, merged into one that is laid out like a toolkit.
lay_out() {
  local unpacked="$1" home="$2" folder library
  mkdir -p "$home/include" "$home/lib64"
  for folder in "$unpacked"/nvidia/*/; do
    [ ! -d "$folder/include" ] || cp -R "$folder/include/." "$home/include/"
    [ ! -d "$folder/lib" ] || cp -R "$folder/lib/." "$home/lib64/"
  done
  # The slower build of NVRTC and the runtime's archives are of no use here, and large.
  rm -f "$home"/lib64/*.alt.so* "$home"/lib64/*.a
  find "$home" -name '__init__.py' -delete
  find "$home" -depth -name '__pycache__' -exec rm -rf {} +
  for library in "$home"/lib64/libnvrtc.so.*; do
    ln -sf "$(basename "$library")" "$home/lib64/libnvrtc.so"
  done
}

# Brings the wheels into build/cuda, unless the same ones are there.
bring_wheels() {
  local driver wheels python reason fresh="$wheels_home.new"
  driver="$(driver_cuda_version)"
  case "${driver%%.*}" in
    '') wheels="$wheels_13" ;;
    12) wheels="$wheels_12" ;;
    [0-9] | 1[01]) die "The driver runs CUDA $driver at most; $cuda_minimum or later is needed. Update the NVIDIA driver." ;;
    *) wheels="$wheels_13" ;;
  esac
  if [ "$(cat "$wheels_home/wheels.txt" 2>/dev/null)" = "$wheels" ] && [ -z "$(why_unfit "$wheels_home")" ]; then
    return
  fi
  say "No fit CUDA Toolkit: bringing NVRTC and the CUDA headers from NVIDIA's Python wheels (about 100 MB)"
  python="$(python_with_pip)" ||
    die "Neither a CUDA Toolkit $cuda_minimum or later nor a python3 with pip or venv was found, and one of them is needed."
  rm -rf "$fresh"
  mkdir -p "$fresh"
  # Unquoted: one word a wheel.
  # shellcheck disable=SC2086
  "$python" -m pip install --quiet --no-deps --only-binary=:all: --disable-pip-version-check \
    --root-user-action=ignore --target "$fresh/unpacked" $wheels >&2 ||
    die "pip could not bring $wheels; its reason is above. A CUDA Toolkit $cuda_minimum or later named by CUDA_HOME does as well."
  lay_out "$fresh/unpacked" "$fresh/home"
  reason="$(why_unfit "$fresh/home")"
  [ -z "$reason" ] || die "The wheels $wheels do not make a CUDA home: $reason."
  printf '%s' "$wheels" >"$fresh/home/wheels.txt"
  rm -rf "$wheels_home"
  mv "$fresh/home" "$wheels_home"
  rm -rf "$fresh"
}

# Sets and exports TUNER_CUDA_HOME, which the build and the tuner both read.
bring_cuda() {
  local reason
  if [ "${TUNER_HIDE_TOOLKIT:-0}" = 1 ]; then
    hide_toolkit
    unset TUNER_CUDA_HOME
  elif [ -n "${TUNER_CUDA_HOME:-}" ]; then
    reason="$(why_unfit "$TUNER_CUDA_HOME")"
    [ -z "$reason" ] || die "TUNER_CUDA_HOME=$TUNER_CUDA_HOME cannot be used: $reason."
  else
    TUNER_CUDA_HOME="$(find_toolkit)" || unset TUNER_CUDA_HOME
  fi
  if [ -z "${TUNER_CUDA_HOME:-}" ]; then
    bring_wheels
    TUNER_CUDA_HOME="$wheels_home"
  fi
  export TUNER_CUDA_HOME
  say "CUDA $(cuda_home_version "$TUNER_CUDA_HOME") from $TUNER_CUDA_HOME"
}
