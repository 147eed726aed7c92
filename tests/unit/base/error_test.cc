// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace raicho {
namespace {

TEST(FailErrno, SaysWhatToDoAboutAFullOrReadOnlyFileSystem) {
    const Error full = fail_errno("write /run/x", ENOSPC).error();
    EXPECT_EQ(full.text, "write /run/x: No space left on device");
    EXPECT_EQ(full.hint, "make room on this file system: df shows how full it is");
    EXPECT_EQ(full.code, ENOSPC);
    EXPECT_NE(fail_errno("create /run/x", EROFS).error().hint, "");
    EXPECT_NE(fail_errno("socket", EMFILE).error().hint, "");
    EXPECT_EQ(fail_errno("open /run/x", ENOENT).error().hint, "");
}

}  // namespace
}  // namespace raicho
