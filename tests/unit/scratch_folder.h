// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own, gone at the end with everything in it, whether the test failed or not.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace raicho::test {

class ScratchFolder {
  public:
    ScratchFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "raicho-test.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) std::abort();
        path_ = std::move(name);
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace raicho::test
