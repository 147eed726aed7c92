// SPDX-License-Identifier: Apache-2.0
// What controllers ask about queues (OF 1.3.5 §7.3.6, §7.3.5.8) and actions that name them.
#include "tests/unit/agent/model/bench.h"

namespace raicho::agent::test {
namespace {

class DatapathQueue : public Bench {
  protected:
    DatapathQueue() {
        plane.port_queues = {{.queue = 0, .port = PortNo{1}, .min_rate = 100},
                             {.queue = 5, .port = PortNo{1}, .max_rate = 500},
                             {.queue = 5, .port = PortNo{2}}};
    }
    std::size_t n_stats(PortNo port, std::uint32_t queue) {
        const auto reply =
            answer<MultipartReply>(MultipartRequest{0, QueueStatsRequest{port, queue}});
        return std::get<std::vector<QueueStats>>(reply.body).size();
    }
};

TEST_F(DatapathQueue, ConfigTellsQueuesOfAPortOrOfAll) {
    const auto one = answer<QueueGetConfigReply>(QueueGetConfigRequest{PortNo{1}});
    EXPECT_EQ(one.port, PortNo{1});
    ASSERT_EQ(one.queues.size(), 2u);
    EXPECT_EQ(one.queues[0].min_rate, 100);
    EXPECT_FALSE(one.queues[0].max_rate);
    EXPECT_TRUE(answer<QueueGetConfigReply>(QueueGetConfigRequest{PortNo{3}}).queues.empty());
    EXPECT_EQ(answer<QueueGetConfigReply>(QueueGetConfigRequest{port::kAny}).queues.size(), 3u);
    EXPECT_EQ(result(QueueGetConfigRequest{PortNo{9}}), "OFPQOFC_BAD_PORT (0)");
}

TEST_F(DatapathQueue, StatsOfOneOrAll) {
    EXPECT_EQ(n_stats(port::kAny, kAllQueues), 3u);
    EXPECT_EQ(n_stats(PortNo{1}, kAllQueues), 2u);
    EXPECT_EQ(n_stats(port::kAny, 5), 2u);
    EXPECT_EQ(n_stats(PortNo{1}, 5), 1u);
    EXPECT_EQ(n_stats(PortNo{3}, kAllQueues), 0u);
    EXPECT_EQ(result(MultipartRequest{0, QueueStatsRequest{PortNo{2}, 0}}),
              "OFPQOFC_BAD_QUEUE (1)");
    EXPECT_EQ(result(MultipartRequest{0, QueueStatsRequest{PortNo{9}, kAllQueues}}),
              "OFPQOFC_BAD_PORT (0)");
}

TEST_F(DatapathQueue, ActionsNameOnlyQueuesThatSomePortHas) {
    Instructions queued = output_to(3);
    queued.apply->insert(queued.apply->begin(), SetQueue{5});
    EXPECT_EQ(result(add_flow({}, 1, queued)), "ok");
    queued.apply->front() = SetQueue{6};
    EXPECT_EQ(result(add_flow({}, 1, queued)), "OFPBAC_BAD_QUEUE (8)");
}

}  // namespace
}  // namespace raicho::agent::test
