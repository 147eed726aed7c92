// SPDX-License-Identifier: Apache-2.0
// A run directory in memory that outlives the agent. Names are on its disk only after a sync: a
// power cut keeps any beginning of the changes since, as a journalling file system does.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/config/files.h"
#include "base/text.h"
#include "tests/unit/agent/config/mortal.h"

namespace raicho::agent::config {

class FakeFiles final : public Files {
  public:
    struct Inode {
        std::string text;
        bool on_disk;
    };
    using Names = std::map<std::string, std::shared_ptr<Inode>, std::less<>>;

    Mortal* life = nullptr;
    std::set<std::string> failing;  // operations that fail: `write running.conf.next`, `sync`

    Result<void> write(std::string_view name, std::string_view text, Sync sync) override {
        return change(format("write {}", name), [&] {
            names_[std::string(name)] =
                std::make_shared<Inode>(Inode{std::string(text), sync == Sync::yes});
        });
    }
    Result<std::optional<std::string>> read(std::string_view name) const override {
        const auto at = names_.find(name);
        if (at == names_.end()) return std::nullopt;
        return at->second->text;
    }
    Result<void> rename(std::string_view from, std::string_view to) override {
        if (!names_.contains(from) && !dead()) return fail(format("rename {}: not there", from));
        return change(format("rename {} {}", from, to), [&] {
            names_[std::string(to)] = names_.find(from)->second;
            names_.erase(names_.find(from));
        });
    }
    Result<void> link(std::string_view from, std::string_view to) override {
        if (!names_.contains(from) && !dead()) return fail(format("link {}: not there", from));
        return change(format("link {} {}", from, to),
                      [&] { names_[std::string(to)] = names_.find(from)->second; });
    }
    Result<void> remove(std::string_view name) override {
        if (!names_.contains(name)) return {};
        return change(format("remove {}", name), [&] { names_.erase(names_.find(name)); });
    }
    Result<void> sync() override {
        if (life != nullptr && !life->step()) return {};
        if (failing.contains("sync")) return fail("sync: asked to fail");
        pasts_ = {names_};
        return {};
    }
    Result<std::vector<std::string>> list(std::string_view folder) const override {
        std::vector<std::string> found;
        for (const auto& [name, inode] : names_)
            if (name.starts_with(format("{}/", folder)))
                found.push_back(name.substr(folder.size() + 1));
        return found;
    }

    /// How many states a power cut may leave.
    [[nodiscard]] std::size_t n_pasts() const { return pasts_.size(); }
    /// The power goes; the disk has the state number `past`. Content that was not synced is gone.
    void cut_power(std::size_t past) {
        names_ = pasts_.at(past);
        for (auto& [name, inode] : names_)
            if (!inode->on_disk) inode = std::make_shared<Inode>(Inode{"", true});
        pasts_ = {names_};
    }
    [[nodiscard]] std::vector<std::string> all() const {
        std::vector<std::string> found;
        for (const auto& [name, inode] : names_) found.push_back(name);
        return found;
    }

  private:
    [[nodiscard]] bool dead() const { return life != nullptr && life->dead(); }
    template <class Effect>
    Result<void> change(const std::string& what, Effect effect) {
        if (life != nullptr && !life->step()) return {};
        if (failing.contains(what)) return fail(format("{}: asked to fail", what));
        effect();
        pasts_.push_back(names_);
        return {};
    }

    Names names_;
    std::vector<Names> pasts_{Names{}};  // since the last sync, that state first
};

}  // namespace raicho::agent::config
