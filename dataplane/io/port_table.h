// SPDX-License-Identifier: Apache-2.0
// Every port the dataplane has: opens and closes them, follows their interfaces, tells the workers
// through views and the agent through status rows. Control thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/io/egress.h"
#include "dataplane/io/netlink.h"
#include "dataplane/io/port.h"
#include "dataplane/io/port_opener.h"
#include "dataplane/io/worker.h"
#include "shm/arena.h"

namespace raicho::io {

class PortTable {
  public:
    /// `changed` hears of each status row that was written.
    PortTable(shm::DataplaneArena& arena, OpenContext context,
              std::span<const std::unique_ptr<Worker>> workers,
              std::function<void(PortSlot)> changed);
    /// Closes everything; taps of ours go away. The workers have ended.
    ~PortTable();

    /// Opens what the arena wants and closes what it does not: at the start, and when an agent
    /// connects. What fails keeps its row with the reason and is tried again.
    void reconcile();
    /// Opens the row's device outside every bridge, again when its settings changed. The text is
    /// empty, or says what it waits for. On an error nothing is open.
    [[nodiscard]] Result<std::string> open(PortSlot slot);
    /// Closes the device once no worker uses it.
    void close(PortSlot slot);

    void link_event(const LinkEvent& event);
    /// After lost notifications: compares with all links there are.
    void relist();
    /// Follows devices without notifications and changed rows, tries failed ports again.
    void tick(std::uint64_t now_ns);

    /// The agent's event descriptors, which the workers use from now on; they must live until the
    /// next call or the table's end. `wake` has one a worker, or is empty.
    void use_events(int agent, std::span<const int> wake);

  private:
    struct Entry {
        PortSettings settings;
        std::string interface;
        std::unique_ptr<Port> port;           // nullptr: absent or failed
        std::vector<WorkerId> queue_workers;  // of each receive queue
        PortState state;
        std::string trouble;  // what of a changed row could not be done
        std::uint32_t opened_s = 0;
        std::uint64_t retry_ns = 0;
        std::uint32_t queues_sequence = 0;  // of the row that `egress` was made from
        std::uint64_t queues_link_bps = 0;
        std::unique_ptr<Egress> egress;  // nullptr: no queues
    };
    using Entries = std::map<PortSlot, Entry>;

    [[nodiscard]] Entry new_entry(PortSlot slot) const;
    /// Gives the entry what was opened, workers included; they see it with the next publish().
    void install(Entry& entry, OpenedPort opened);
    void try_open(Entry& entry);
    /// Takes the device away; the entry stays with the state.
    void detach(Entry& entry, PortState state);
    void set_state(Entry& entry, PortState state);
    /// Takes over what changed in the row; true when it is another device now, opened but
    /// unpublished.
    bool follow_row(Entry& entry);
    /// Changes the open device to the settings; what fails is told in its state.
    void apply(Entry& entry, const PortSettings& settings);
    /// Takes over the wanted queues; true when the port has got or lost its queues, unpublished.
    bool follow_queues(PortSlot slot, Entry& entry);
    /// Closes the device and opens what the row wants now; workers see it with the next publish().
    void reopen(Entry& entry);
    [[nodiscard]] WorkerId least_loaded(std::span<const WorkerId> taken) const;
    [[nodiscard]] const Entry* other_user(const Entry& entry) const;
    /// New views for all workers; returns when nothing older is in use, then retired ports end.
    void publish();

    shm::DataplaneArena& arena_;
    OpenContext context_;
    std::span<const std::unique_ptr<Worker>> workers_;
    std::function<void(PortSlot)> changed_;
    EgressRoom egress_room_;  // outlives the queues of the entries
    Entries entries_;
    std::vector<std::unique_ptr<Port>> retired_;  // until the workers have let go of them
    std::vector<std::unique_ptr<Egress>> retired_egress_;
    int agent_event_ = -1;
    std::vector<int> wake_events_;
    std::uint64_t view_generation_ = 0;
    std::uint64_t next_poll_ns_ = 0;
};

}  // namespace raicho::io
