// SPDX-License-Identifier: Apache-2.0
#include "supervisor/rundir.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/scratch_folder.h"

namespace raicho::supervisor {
namespace {

class RunDirectoryTest : public testing::Test {
  protected:
    test::ScratchFolder folder;
    std::string path = folder.path() + "/run";
};

TEST_F(RunDirectoryTest, ASecondSupervisorIsRefusedWithThePidOfTheFirst) {
    auto first = RunDirectory::open(path, std::nullopt);
    ASSERT_TRUE(first) << first.error().text;
    const auto second = RunDirectory::open(path, std::nullopt);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().text.find(std::to_string(::getpid())), std::string::npos);
    first->remove();
}

TEST_F(RunDirectoryTest, RemoveLeavesNothing) {
    auto directory = RunDirectory::open(path, std::nullopt);
    ASSERT_TRUE(directory) << directory.error().text;
    const std::string memory = "/dev/shm/raicho-test-" + std::to_string(::getpid());
    std::ofstream(memory) << "x";
    std::filesystem::create_symlink(memory, path + "/arena");
    std::ofstream(path + "/running.conf") << "x";
    directory->remove();
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_FALSE(std::filesystem::exists(memory));
}

TEST_F(RunDirectoryTest, WhatIsNotOursStays) {
    std::filesystem::create_directory(path);
    std::ofstream(path + "/letter") << "x";
    auto directory = RunDirectory::open(path, std::nullopt);
    ASSERT_TRUE(directory) << directory.error().text;
    EXPECT_FALSE(directory->has_running_configuration());
    std::ofstream(path + "/running.conf") << "x";
    EXPECT_TRUE(directory->has_running_configuration());
    directory->remove();
    EXPECT_TRUE(std::filesystem::exists(path + "/letter"));
    EXPECT_FALSE(std::filesystem::exists(path + "/running.conf"));
}

TEST_F(RunDirectoryTest, WhatIsNotOursStaysInFoldersThatAreNamedAsOurs) {
    const std::array<std::string, 3> folders{"history", "candidates", "huge"};
    for (const std::string& name : folders) {
        std::filesystem::create_directories(path + "/" + name);
        std::ofstream(path + "/" + name + "/thesis.txt") << "x";
        std::ofstream(path + "/" + name + "/7.conf") << "x";
    }
    auto directory = RunDirectory::open(path, std::nullopt);
    ASSERT_TRUE(directory) << directory.error().text;
    directory->remove();
    for (const std::string& name : folders) {
        EXPECT_TRUE(std::filesystem::exists(path + "/" + name + "/thesis.txt")) << name;
        EXPECT_EQ(std::filesystem::exists(path + "/" + name + "/7.conf"), name == "huge");
    }
}

TEST_F(RunDirectoryTest, OneThatAnotherMadeAnewIsLeftAlone) {
    auto first = RunDirectory::open(path, std::nullopt);
    ASSERT_TRUE(first) << first.error().text;
    EXPECT_TRUE(first->is_ours());
    const std::string away = path + ".away";
    std::filesystem::rename(path, away);
    ::umount2((away + "/huge").c_str(), MNT_DETACH);  // where there is one
    EXPECT_FALSE(first->is_ours());
    {
        auto second = RunDirectory::open(path, std::nullopt);
        ASSERT_TRUE(second) << second.error().text;
        std::ofstream(path + "/running.conf") << "x";
        EXPECT_FALSE(first->is_ours());
        first->remove();
        EXPECT_TRUE(std::filesystem::exists(path + "/running.conf"));
        {
            const RunDirectory ended = std::move(*first);
        }
        EXPECT_TRUE(std::filesystem::exists(path + "/raicho.pid"));
        EXPECT_TRUE(second->is_ours());
        second->remove();
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(RunDirectoryTest, AnUnusablePathIsAnErrorThatNamesIt) {
    const auto directory = RunDirectory::open("/proc/raicho", std::nullopt);
    ASSERT_FALSE(directory);
    EXPECT_NE(directory.error().text.find("/proc/raicho"), std::string::npos);
}

}  // namespace
}  // namespace raicho::supervisor
