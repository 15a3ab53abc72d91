# clang-format and clang-tidy over the project's sources. Sourced by scripts/test.
# shellcheck shell=bash disable=SC2154  # root and jobs are set by common.sh

# Version 14 is what the layout is checked with; another may lay out a line otherwise.
readonly clang_version=14

# source_files EXTENSION...: the project's sources with one of these extensions, relative to the root.
source_files() {
  local extension names=()
  for extension in "$@"; do
    names+=(-o -name "*.$extension")
  done
  (cd "$root" && find . \( -name 'build*' -o -name '.?*' \) -prune -o -type f \( "${names[@]:1}" \) -printf '%P\n' | sort)
}

check_format() {
  local formatter
  formatter="$(bring_tool clang-format-$clang_version clang-format)" || die "clang-format is needed to check the layout."
  say "Checking the layout with $("$formatter" --version)"
  source_files cc h cu cuh |
    (cd "$root" && xargs -r -d '\n' "$formatter" --dry-run -Werror) ||
    die "Lay these files out with $(basename "$formatter") -i."
}

# The .cc files that differ from HEAD, new ones among them.
changed_sources() {
  {
    git -C "$root" diff --name-only --diff-filter=d HEAD -- '*.cc'
    git -C "$root" ls-files --others --exclude-standard -- '*.cc'
  } | sort -u
}

# lint all|changed: every .cc of the build, or those that differ from HEAD, checked with their headers.
lint() {
  local tidy files file
  check_format
  tidy="$(bring_tool clang-tidy-$clang_version clang-tidy)" || die "clang-tidy is needed to lint."
  cd "$root" || die "Cannot enter $root."
  cmake --preset release -DTUNER_CUDA_HOME="$TUNER_CUDA_HOME" >&2 || die "The build could not be configured."
  if [ "$1" = changed ]; then
    files="$(changed_sources)"
  else
    files="$(source_files cc)"
  fi
  # What is not built here, such as a downstream project of the tests, has no flags to be read with.
  files="$(while read -r file; do
    grep -qF "\"file\": \"$root/$file\"" build/compile_commands.json && echo "$file"
  done <<<"$files")"
  [ -n "$files" ] || { say "No source to check." && return; }
  say "Checking $(wc -l <<<"$files") sources with $(basename "$tidy")"
  # One file a process; xargs fails if one of them does.
  xargs -r -d '\n' -n 1 -P "$jobs" "$tidy" -p build --quiet <<<"$files" 2> >(grep -v 'warnings generated' >&2) ||
    die "clang-tidy has findings; each names its check."
}
