// SPDX-License-Identifier: Apache-2.0
#include "agent/config/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/handle.h"
#include "base/text.h"

namespace raicho::agent::config {

namespace {

Result<void> write_all(int fd, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno("write " + path, errno);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

std::string_view folder_of(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

}  // namespace

Result<void> DiskFiles::make_folder(std::string_view name) {
    const std::string folder(folder_of(name));
    if (!folder.empty()) {
        const std::string made = path(folder);
        if (::mkdir(made.c_str(), 0750) == 0)
            folders_.emplace_back();  // the run directory has a new name in it
        else if (errno != EEXIST)
            return fail_errno("create " + made, errno);
    }
    note_folder(name);
    return {};
}

void DiskFiles::note_folder(std::string_view name) {
    const std::string_view folder = folder_of(name);
    if (std::ranges::find(folders_, folder) == folders_.end()) folders_.emplace_back(folder);
}

Result<void> DiskFiles::write(std::string_view name, std::string_view text, Sync sync) {
    TRY(make_folder(name));
    const std::string file = path(name);
    // never into a file that has a second name
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return fail_errno("remove " + file, errno);
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640));
    if (!fd) return fail_errno("create " + file, errno);
    TRY(write_all(fd.get(), text, file));
    if (sync == Sync::yes && ::fsync(fd.get()) != 0) return fail_errno("fsync " + file, errno);
    return {};
}

Result<std::optional<std::string>> DiskFiles::read(std::string_view name) const {
    const std::string file = path(name);
    const Fd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        if (errno == ENOENT) return std::nullopt;
        return fail_errno("open " + file, errno);
    }
    std::string text;
    std::array<char, std::size_t{1} << 14> chunk;
    for (;;) {
        const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno("read " + file, errno);
        if (n == 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(n));
    }
}

Result<void> DiskFiles::rename(std::string_view from, std::string_view to) {
    TRY(make_folder(to));
    note_folder(from);
    if (::rename(path(from).c_str(), path(to).c_str()) != 0)
        return fail_errno(format("rename {} to {}", path(from), path(to)), errno);
    return {};
}

Result<void> DiskFiles::link(std::string_view from, std::string_view to) {
    TRY(make_folder(to));
    TRY(remove(to));
    if (::link(path(from).c_str(), path(to).c_str()) != 0)
        return fail_errno(format("link {} to {}", path(from), path(to)), errno);
    return {};
}

Result<void> DiskFiles::remove(std::string_view name) {
    if (::unlink(path(name).c_str()) == 0)
        note_folder(name);
    else if (errno != ENOENT)
        return fail_errno("remove " + path(name), errno);
    return {};
}

Result<void> DiskFiles::sync() {
    for (const std::string& folder : folders_) {
        const std::string name = folder.empty() ? directory_.string() : path(folder);
        const Fd fd(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!fd) return fail_errno("open " + name, errno);
        if (::fsync(fd.get()) != 0) return fail_errno("fsync " + name, errno);
    }
    folders_.clear();
    return {};
}

Result<std::vector<std::string>> DiskFiles::list(std::string_view folder) const {
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator at(directory_ / folder, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
        if (at->is_regular_file(error)) names.push_back(at->path().filename().string());
    if (error && error != std::errc::no_such_file_or_directory)
        return fail_errno("list " + path(folder), error.value());
    return names;
}

}  // namespace raicho::agent::config
