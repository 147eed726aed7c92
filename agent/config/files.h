// SPDX-License-Identifier: Apache-2.0
// The files of a run directory as the journal and the candidates keep them: few operations, each
// with what it promises for a power cut. Tests stop them at every step.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace raicho::agent::config {

/// Whether content must be on the disk when write() returns.
enum class Sync : bool { no, yes };

/// Names are relative to the directory: `running.conf`, `history/12.conf`. A change of names is
/// certain to survive a power cut only after sync().
class Files {
  public:
    virtual ~Files() = default;

    /// Makes a new file in place of one that may be there. Mode 0640.
    [[nodiscard]] virtual Result<void> write(std::string_view name, std::string_view text,
                                             Sync sync) = 0;
    /// Its content; nothing when there is none.
    [[nodiscard]] virtual Result<std::optional<std::string>> read(std::string_view name) const = 0;
    /// Replaces `to` whole or not at all.
    [[nodiscard]] virtual Result<void> rename(std::string_view from, std::string_view to) = 0;
    /// A second name for a file, in place of what has it.
    [[nodiscard]] virtual Result<void> link(std::string_view from, std::string_view to) = 0;
    /// One that is not there is no error.
    [[nodiscard]] virtual Result<void> remove(std::string_view name) = 0;
    /// All changes of names so far are on the disk.
    [[nodiscard]] virtual Result<void> sync() = 0;
    /// Names of the regular files in a folder, in no order; nothing where there is none.
    [[nodiscard]] virtual Result<std::vector<std::string>> list(std::string_view folder) const = 0;
};

/// The real ones. Folders are made when something is first put into them, with mode 0750.
class DiskFiles final : public Files {
  public:
    explicit DiskFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

    [[nodiscard]] Result<void> write(std::string_view name, std::string_view text,
                                     Sync sync) override;
    [[nodiscard]] Result<std::optional<std::string>> read(std::string_view name) const override;
    [[nodiscard]] Result<void> rename(std::string_view from, std::string_view to) override;
    [[nodiscard]] Result<void> link(std::string_view from, std::string_view to) override;
    [[nodiscard]] Result<void> remove(std::string_view name) override;
    [[nodiscard]] Result<void> sync() override;
    [[nodiscard]] Result<std::vector<std::string>> list(std::string_view folder) const override;

  private:
    [[nodiscard]] std::string path(std::string_view name) const {
        return (directory_ / name).string();
    }
    [[nodiscard]] Result<void> make_folder(std::string_view name);
    void note_folder(std::string_view name);

    std::filesystem::path directory_;
    std::vector<std::string> folders_;  // whose names changed since the last sync
};

}  // namespace raicho::agent::config
