# clang-format and clang-tidy over the project's sources. Sourced by scripts/test.
# shellcheck shell=bash disable=SC2154  # root and jobs are set by common.sh

# Version 14 is what the layout is checked with; another may lay out a line otherwise.
readonly clang_version=14

# source_files PATTERN...: tracked and new files, not ignored ones, relative to the root.
source_files() {
  git -C "$root" ls-files --cached --others --exclude-standard -- "$@" |
    while read -r file; do [ ! -e "$root/$file" ] || printf '%s\n' "$file"; done
}

check_format() {
  local formatter
  formatter="$(bring_tool clang-format-$clang_version clang-format)" || die "clang-format is needed to check the layout."
  say "Checking the layout with $("$formatter" --version)"
  source_files '*.cc' '*.h' '*.cu' '*.cuh' |
    (cd "$root" && xargs -r -d '\n' "$formatter" --dry-run -Werror) ||
    die "Lay these files out with $(basename "$formatter") -i."
}

changed_sources() {
  { git -C "$root" diff --name-only HEAD -- '*.cc' 2>/dev/null && git -C "$root" ls-files --others --exclude-standard -- '*.cc'; } |
    sort -u
}

# lint all|changed: every .cc of the build, or those that differ from HEAD, checked with their headers.
lint() {
  local tidy files
  check_format
  tidy="$(bring_tool clang-tidy-$clang_version clang-tidy)" || die "clang-tidy is needed to lint."
  cd "$root" || die "Cannot enter $root."
  cmake --preset release -DTUNER_CUDA_HOME="$TUNER_CUDA_HOME" >&2 || die "The build could not be configured."
  if [ "$1" = changed ]; then
    files="$(changed_sources)"
  else
    files="$(source_files 'expr/*.cc' 'search/*.cc' 'models/*.cc' 'tuner/*.cc' 'tests/*.cc')"
  fi
  say "Checking $(grep -c . <<<"$files") sources with $(basename "$tidy")"
  # One file a process; xargs fails if one of them does.
  xargs -r -d '\n' -n 1 -P "$jobs" "$tidy" -p build --quiet <<<"$files" 2> >(grep -v 'warnings generated' >&2) ||
    die "clang-tidy has findings; each names its check."
}
