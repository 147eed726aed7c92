// SPDX-License-Identifier: Apache-2.0
// `include FILE`: the statements of other files in the place of the statement. Neighbour: check.h
// is where a configuration with its files is read.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/syntax/diagnostic.h"
#include "dsl/syntax/tree.h"

namespace raicho::dsl {

/// A file that an include named; `path` is the same however it was reached.
struct LoadedFile {
    std::string path;
    std::string text;
};
/// The files of a pattern (`ports.d/*.conf`, relative to the file `from`) in natural order, or why
/// they cannot be had. A pattern with wildcards may find none.
using FileReader = std::function<std::expected<std::vector<LoadedFile>, std::string>(
    std::string_view pattern, const std::string& from)>;

/// Reads from the disk: glob(7) patterns.
[[nodiscard]] FileReader disk_files();

/// A whole file, or why not.
[[nodiscard]] std::expected<std::string, std::string> read_file(const std::string& path);

/// What including may cost.
inline constexpr std::size_t kMaxIncludeDepth = 16;
inline constexpr std::size_t kMaxIncludedFiles = 4096;

/// Follows includes from a source's first file. The files become parts of the source.
class Includes {
  public:
    Includes(std::shared_ptr<Source> source, const FileReader& files, Diagnostics& diagnostics);

    /// Reads the files of one statement (`include` and its values) and gives the tree of each to
    /// `use`, which may come back with the includes in it. Faults are reported: files that cannot
    /// be had, files that include themselves (with their chain), too many.
    void read(std::span<const Value> statement, const std::function<void(Tree&&)>& use);

  private:
    void add(LoadedFile file, Span span, const std::function<void(Tree&&)>& use);

    std::shared_ptr<Source> source_;
    const FileReader& files_;
    Diagnostics& diagnostics_;
    std::vector<std::string> chain_;
    std::size_t n_files_ = 0;
    bool full_ = false;
};

/// Puts what the included files say in the place of each include that is in force, at any depth.
/// `source` is the tree's. The tree does not print back to its text after that.
void include_files(Tree& tree, std::shared_ptr<Source> source, const FileReader& files,
                   Diagnostics& diagnostics);

}  // namespace raicho::dsl
