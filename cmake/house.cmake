# SPDX-License-Identifier: Apache-2.0
# What every target of the house shares: warnings, the include root, language switches.

# Warnings and the include root (the repository's), for our own targets.
add_library(raicho_house INTERFACE)
target_include_directories(raicho_house INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(raicho_house INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  $<$<CXX_COMPILER_ID:GNU>:-Wno-missing-field-initializers>
  # Optimising, g++ 12 takes the unused side of a std::variant, optional or expected for read.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<NOT:$<CONFIG:Debug>>>:-Wno-maybe-uninitialized;-Wno-uninitialized>
  # The second: libstdc++ 12's own stable_sort uses what libstdc++ 12 calls deprecated.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-designated-field-initializers>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${RAICHO_WERROR}>:-Werror>)

# Folders below the agent know no exceptions and no run-time types (style.md, Errors).
add_library(raicho_no_exceptions INTERFACE)
target_compile_options(raicho_no_exceptions INTERFACE -fno-exceptions -fno-rtti)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
