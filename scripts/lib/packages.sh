# Debian and Ubuntu packages: which are missing, and bringing them. Sourced by common.sh.
# shellcheck shell=bash

# "package probe": a probe that begins with / is a file; else one that holds a dot or a slash is a header, and
# any other a command. What is there in any form counts, so a machine without apt can bring its own.
readonly build_packages='
g++                 g++
cmake               cmake
ninja-build         ninja
ccache              ccache
libeigen3-dev       eigen3/Eigen/Core
libspdlog-dev       spdlog/spdlog.h
libfmt-dev          fmt/format.h
nlohmann-json3-dev  nlohmann/json.hpp
libcli11-dev        CLI/CLI.hpp
libxxhash-dev       xxhash.h
libvalijson-dev     valijson/validator.hpp
zlib1g-dev          zlib.h
libgtest-dev        gtest/gtest.h
libgmock-dev        gmock/gmock.h
libjs-vega          /usr/share/javascript/vega/vega-view.min.js'

# Without these all builds and works: builds take longer, and reports have plainer charts.
readonly dispensable_packages='ccache|libjs-vega'

header_is_there() {
  local folder
  for folder in /usr/include /usr/local/include /usr/include/"$(uname -m)"-linux-gnu ${CPATH:+${CPATH//:/ }} \
    ${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH//:/\/include }/include}; do
    [ -e "$folder/$1" ] && return
  done
  return 1
}

probe() {
  case "$1" in
    /*) [ -e "$1" ] ;;
    *.* | */*) header_is_there "$1" ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# missing_packages: reads "package probe" lines, prints the packages whose probe finds nothing.
missing_packages() {
  local package probe
  while read -r package probe; do
    [ -z "$package" ] || probe "$probe" || printf '%s\n' "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

# Why packages cannot be installed here, in words; nothing where they can.
why_no_install() {
  if ! command -v apt-get >/dev/null; then
    echo "this machine has no apt-get (the scripts install packages on Debian and Ubuntu only)"
  elif [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    echo "you are not root and there is no sudo"
  elif [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null && ! [ -t 0 ]; then
    echo "sudo would ask for a password and there is no terminal to ask on"
  fi
}

# install_packages PACKAGE...: returns 1, with the reason told, where it could not.
install_packages() {
  local reason
  reason="$(why_no_install)"
  if [ -n "$reason" ]; then
    warn "Cannot install $*: $reason."
    return 1
  fi
  say "Installing $*"
  local install=(apt-get install -y -qq -o Dpkg::Use-Pty=0 --no-install-recommends "$@")
  # A fresh image has no package lists, an old one stale ones: they are fetched only when that shows.
  as_root "${install[@]}" >/dev/null 2>&1 && return
  as_root apt-get update -qq >&2 && as_root "${install[@]}" >/dev/null && return
  warn "apt-get could not install $*; its reason is above."
  return 1
}

bring_build_packages() {
  local missing
  missing="$(missing_packages <<<"$build_packages")"
  [ -z "$missing" ] && return
  # Unquoted: one word a package.
  # shellcheck disable=SC2086
  install_packages $missing || true
  missing="$(missing_packages <<<"$build_packages" | grep -vxE "$dispensable_packages" || true)"
  [ -z "$missing" ] || die "Still missing, and needed to build: $(tr '\n' ' ' <<<"$missing")"
}

# The browser that the tests open reports in; they are skipped without it. Debian alone: what Ubuntu calls
# chromium is a snap, which no container can install.
bring_browser() {
  command -v chromium >/dev/null && return
  if grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then
    install_packages chromium || true
  fi
}

# bring_tool COMMAND...: the first of several spellings of a tool that is there or can be installed,
# on stdout.
bring_tool() {
  local tool
  for tool in "$@"; do
    command -v "$tool" && return
  done
  for tool in "$@"; do
    install_packages "$tool" && command -v "$tool" && return
  done
  return 1
}
