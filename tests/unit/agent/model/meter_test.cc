// SPDX-License-Identifier: Apache-2.0
// Meters as a controller sees them (OF 1.3.5 §5.7, §6.8, §7.3.4.4, §7.3.5.12 to §7.3.5.14).
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

MeterMod meter(MeterModCommand command, std::uint32_t id, std::uint16_t flags = 1,
               MeterBands bands = {}) {
    return {command, flags, MeterId{id}, std::move(bands)};
}
MeterMod add_meter(std::uint32_t id, std::uint16_t flags = 1, MeterBands bands = {}) {
    return meter(MeterModCommand::add, id, flags, std::move(bands));
}
MeterMod delete_meter(MeterId id) {
    return {MeterModCommand::remove, 0, id, {}};
}
MeterBand drop(std::uint32_t rate, std::uint32_t burst = 0) {
    return {.type = BandType::drop, .rate = rate, .burst_size = burst};
}
Instructions metered(std::uint32_t id) {
    Instructions out = output_to(1);
    out.meter = MeterId{id};
    return out;
}

class DatapathMeter : public Bench {
  protected:
    std::vector<MeterStats> stats(MeterId id = meter::kAll) {
        const auto reply = answer<MultipartReply>(MultipartRequest{0, MeterStatsRequest{id}});
        return std::get<std::vector<MeterStats>>(reply.body);
    }
    std::vector<MeterConfig> configs(MeterId id = meter::kAll) {
        const auto reply = answer<MultipartReply>(MultipartRequest{0, MeterConfigRequest{id}});
        return std::get<std::vector<MeterConfig>>(reply.body);
    }
};

TEST_F(DatapathMeter, ConfigEchoesWhatWasSent) {
    const MeterBands bands{
        drop(2000, 0),
        {.type = BandType::dscp_remark, .rate = 1000, .burst_size = 7, .prec_level = 1}};
    EXPECT_EQ(result(add_meter(1, 0xd, bands)), "ok");
    EXPECT_EQ(result(add_meter(2, 0, {drop(1)})), "ok");
    EXPECT_EQ(result(add_meter(meter::kController.value(), 2, {drop(50)})), "ok");
    const auto all = configs();
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].flags, 0xd);
    EXPECT_EQ(all[0].bands, bands);
    EXPECT_EQ(all[1].flags, 0);
    EXPECT_EQ(all[2].meter, meter::kController);
    EXPECT_EQ(configs(MeterId{2}).size(), 1u);
}

TEST_F(DatapathMeter, ExistingMeterIsNotAddedAgain) {
    tell(add_meter(1));
    EXPECT_EQ(result(add_meter(1, 2)), "OFPMMFC_METER_EXISTS (1)");
    EXPECT_EQ(configs().at(0).flags, 1);
}

TEST_F(DatapathMeter, UnknownMeterIsNotModified) {
    EXPECT_EQ(result(meter(MeterModCommand::modify, 1)), "OFPMMFC_UNKNOWN_METER (3)");
}

TEST_F(DatapathMeter, BadMetersAreRefused) {
    EXPECT_EQ(result(add_meter(0)), "OFPMMFC_INVALID_METER (2)");
    EXPECT_EQ(result(add_meter(0xffff0001)), "OFPMMFC_INVALID_METER (2)");
    EXPECT_EQ(result(add_meter(1, 3)), "OFPMMFC_BAD_FLAGS (5)");
    EXPECT_EQ(result(add_meter(1, 0x10)), "OFPMMFC_BAD_FLAGS (5)");
    EXPECT_EQ(result(add_meter(1, 1, {drop(0)})), "OFPMMFC_BAD_RATE (6)");
    EXPECT_EQ(
        result(add_meter(1, 1, {{.type = BandType::dscp_remark, .rate = 1, .prec_level = 3}})),
        "OFPMMFC_BAD_BAND_VALUE (9)");
    EXPECT_EQ(meters.size(), 0u);
}

TEST_F(DatapathMeter, StoreSaysWhatItCannotHold) {
    meters.set_limits({1, 1});
    EXPECT_EQ(result(add_meter(1, 1, {drop(1), drop(2)})), "OFPMMFC_OUT_OF_BANDS (11)");
    EXPECT_EQ(result(add_meter(1)), "ok");
    EXPECT_EQ(result(add_meter(2)), "OFPMMFC_OUT_OF_METERS (10)");
}

TEST_F(DatapathMeter, WaitsForAStoreThatIsNotReady) {
    meters.set_ready(false);
    EXPECT_TRUE(ask(add_meter(1)).empty());
    meters.set_ready(true);
    pass(1);
    EXPECT_EQ(meters.size(), 1u);
}

TEST_F(DatapathMeter, StatsCountPacketsBandsAndFlows) {
    tell(add_meter(1, 9, {drop(1), drop(2)}));
    tell(add_flow(match({{Field::in_port, 1}}), 1, metered(1)));
    tell(add_flow(match({{Field::in_port, 2}}), 1, metered(1)));
    meters.hit(MeterId{1}, 100, 1);
    meters.hit(MeterId{1}, 60, std::nullopt);
    pass(2 * kSecond + 9);
    const auto one = stats(MeterId{1}).at(0);
    EXPECT_EQ(one.flow_count, 2u);
    EXPECT_EQ(one.packet_in_count, 2u);
    EXPECT_EQ(one.byte_in_count, 160u);
    EXPECT_EQ(one.duration_sec, 2u);
    EXPECT_EQ(one.duration_nsec, 9u);
    EXPECT_EQ(one.bands, (std::vector<BandCount>{{0, 0}, {1, 100}}));
    tell(flow(FlowModCommand::remove, match({{Field::in_port, 2}})));
    EXPECT_EQ(stats().at(0).flow_count, 1u);
    restart();
    EXPECT_EQ(stats().at(0).flow_count, 1u);
}

TEST_F(DatapathMeter, ModifyKeepsTheMetersCountersAndClearsTheBands) {  // §6.8
    tell(add_meter(1, 1, {drop(1)}));
    meters.hit(MeterId{1}, 100, 0);
    pass(kSecond);
    EXPECT_EQ(result(meter(MeterModCommand::modify, 1, 2, {drop(5), drop(6)})), "ok");
    const auto one = stats().at(0);
    EXPECT_EQ(one.packet_in_count, 1u);
    EXPECT_EQ(one.duration_sec, 1u);
    EXPECT_EQ(one.bands, (std::vector<BandCount>{{0, 0}, {0, 0}}));
    EXPECT_EQ(configs().at(0).flags, 2);
}

TEST_F(DatapathMeter, RequestForAMeterThatIsNotThereIsRefused) {
    EXPECT_EQ(result(MultipartRequest{0, MeterStatsRequest{MeterId{1}}}),
              "OFPMMFC_UNKNOWN_METER (3)");
    EXPECT_EQ(result(MultipartRequest{0, MeterConfigRequest{MeterId{1}}}),
              "OFPMMFC_UNKNOWN_METER (3)");
    EXPECT_TRUE(stats().empty());
    EXPECT_TRUE(configs().empty());
}

TEST_F(DatapathMeter, FlowThatNamesNoMeterIsRefused) {
    EXPECT_EQ(result(add_flow({}, 1, metered(1))), "OFPMMFC_UNKNOWN_METER (3)");
    EXPECT_EQ(result(add_flow({}, 1, metered(0))), "OFPMMFC_INVALID_METER (2)");
    tell(add_meter(meter::kSlowpath.value()));
    EXPECT_EQ(result(add_flow({}, 1, metered(meter::kSlowpath.value()))),
              "OFPMMFC_INVALID_METER (2)");
}

TEST_F(DatapathMeter, DeleteTakesItsFlows) {
    tell(add_meter(1));
    tell(add_meter(2));
    FlowMod told = add_flow(match({{Field::in_port, 1}}), 1, metered(1));
    told.flags = flow_flag::kSendFlowRem;
    tell(told);
    tell(add_flow(match({{Field::in_port, 2}}), 1, metered(2)));
    EXPECT_EQ(result(delete_meter(MeterId{1})), "ok");
    pass(1);
    EXPECT_EQ(store.size(), 1u);
    EXPECT_EQ(sent<FlowRemoved>().at(0).reason, FlowRemovedReason::meter_delete);
    EXPECT_EQ(meters.size(), 1u);
}

TEST_F(DatapathMeter, DeleteOfAllLeavesTheVirtualOnes) {  // §6.8
    tell(add_meter(1));
    tell(add_meter(2));
    tell(add_meter(meter::kController.value()));
    tell(add_flow({}, 1, metered(2)));
    EXPECT_EQ(result(delete_meter(meter::kAll)), "ok");
    EXPECT_EQ(store.size(), 0u);
    EXPECT_EQ(meters.size(), 1u);
    EXPECT_EQ(result(delete_meter(meter::kController)), "OFPMMFC_INVALID_METER (2)");
    EXPECT_EQ(meters.size(), 1u);
}

TEST_F(DatapathMeter, DeleteOfNothingIsNoError) {
    EXPECT_EQ(result(delete_meter(MeterId{5})), "ok");
    EXPECT_EQ(result(delete_meter(meter::kAll)), "ok");
    EXPECT_EQ(result(delete_meter(MeterId{0})), "OFPMMFC_INVALID_METER (2)");
}

TEST_F(DatapathMeter, FeaturesSayWhatTheStoreHolds) {
    const auto features = [&] {
        return std::get<MeterFeatures>(
            answer<MultipartReply>(MultipartRequest{0, MeterFeaturesRequest{}}).body);
    };
    EXPECT_EQ(features().max_meter, 4096u);
    EXPECT_EQ(features().band_types, 6u);
    EXPECT_EQ(features().capabilities, 0xfu);
    EXPECT_EQ(features().max_bands, 8);
    meters.set_limits({0, 0});
    EXPECT_EQ(features().max_meter, 0u);
    EXPECT_EQ(features().band_types, 0u);
}

}  // namespace
}  // namespace raicho::agent::test
