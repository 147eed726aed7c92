// SPDX-License-Identifier: Apache-2.0
#include "base/fields.h"

#include <gtest/gtest.h>

#include <set>

namespace raicho {
namespace {

TEST(Fields, EveryNameFindsItsOwnRow) {  // OF 1.3.5 §7.2.3.7 table 12
    std::set<std::string_view> names;
    for (const FieldRow& r : kFieldRows) {
        EXPECT_TRUE(names.insert(r.name).second) << r.name;
        EXPECT_EQ(field_by_name(r.name), r.field);
        if (!r.ovs_name.empty()) {
            EXPECT_EQ(field_by_name(r.ovs_name), r.field) << r.ovs_name;
        }
    }
    EXPECT_EQ(field_by_name("nonsense"), std::nullopt);
}

TEST(Fields, WidthsAreThoseOfTheSpecification) {
    EXPECT_EQ(row(Field::ipv6_src).size(), 16u);
    EXPECT_EQ(row(Field::vlan_vid).size(), 2u);
    EXPECT_EQ(row(Field::ipv6_flabel).size(), 4u);
    EXPECT_EQ(row(Field::pbb_isid).size(), 3u);
}

}  // namespace
}  // namespace raicho
