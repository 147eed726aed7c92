// SPDX-License-Identifier: Apache-2.0
// What libFuzzer does with files named on its command line, for builds without it: each file of
// each folder goes through the target once. Fails when there was none.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size);

int main(int argc, char** argv) {
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
            std::ifstream in(entry.path(), std::ios::binary);
            const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
            // Memory of exactly its size: a checker of memory sees a read past it.
            const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
            (void)LLVMFuzzerTestOneInput(input.data(), input.size());
            ++files;
        }
    }
    std::printf("%zu seeds\n", files);
    return files == 0 ? 1 : 0;
}
