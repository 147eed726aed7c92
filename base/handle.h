// SPDX-License-Identifier: Apache-2.0
// Owners of kernel objects: a file descriptor and a memory mapping. Move-only.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <span>
#include <utility>

namespace raicho {

/// Owns one file descriptor; -1 is empty.
class Fd {
  public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~Fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void reset() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

  private:
    int fd_ = -1;
};

/// Owns one mmap'ed range; unmapped on destruction.
class Mapping {
  public:
    Mapping() = default;
    Mapping(void* base, std::size_t size) : base_(base), size_(size) {}
    Mapping(Mapping&& other) noexcept
        : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        if (this != &other) {
            reset();
            base_ = std::exchange(other.base_, nullptr);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }
    ~Mapping() { reset(); }

    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(base_); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] explicit operator bool() const { return base_ != nullptr; }
    void reset() {
        if (base_ != nullptr) ::munmap(std::exchange(base_, nullptr), std::exchange(size_, 0));
    }

  private:
    void* base_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace raicho
