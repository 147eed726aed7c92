# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Packages: which are missing, asking before they are installed. Sourced by the tools.

# missing_packages KIND...: those of tools/packages.txt that dpkg does not know as installed.
missing_packages() {
    local kind package
    while read -r kind package; do
        case " $* " in *" $kind "*) ;; *) continue ;; esac
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done < <(grep -v '^#' "$ROOT/tools/packages.txt")
}

# need_packages KIND...: installs what is missing; asks on a terminal unless YES=1.
need_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    echo "Debian packages needed: ${missing[*]}"
    if [ "$(id -u)" != 0 ]; then
        echo "error: installing them takes root: sudo apt-get install ${missing[*]}" >&2
        return 1
    fi
    if [ -t 0 ] && [ "${YES:-0}" != 1 ]; then
        local answer
        read -r -p "Install them now? [Y/n] " answer
        case "$answer" in '' | y | Y | yes) ;; *) return 1 ;; esac
    fi
    local log=$ROOT/build/apt.log
    mkdir -p "$ROOT/build"
    echo "installing (log: build/apt.log) ..."
    if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
        --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        echo "error: the packages could not be installed" >&2
        return 1
    fi
}

# build_preset PRESET [TARGET...]: configures when needed and builds, with ninja's progress.
build_preset() {
    local preset=$1
    shift
    cd "$ROOT" || return 1
    mkdir -p build
    # As the presets set them, for the build step too: checkouts share what is compiled.
    export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR=$ROOT
    if [ ! -f "build/$preset/build.ninja" ]; then
        cmake --preset "$preset" >"build/$preset.log" 2>&1 || {
            tail -n 30 "build/$preset.log" >&2
            return 1
        }
    fi
    if [ $# -gt 0 ]; then
        cmake --build "build/$preset" --target "$@"
    else
        cmake --build "build/$preset"
    fi
}

PROGRAMS=(raicho raicho-agent raicho-dataplane lagosh)
