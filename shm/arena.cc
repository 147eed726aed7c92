// SPDX-License-Identifier: Apache-2.0
#include "shm/arena.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "shm/arena_file.h"

namespace raicho::shm {
namespace {

std::unexpected<Error> stale(std::string text) {
    return std::unexpected(
        Error{std::move(text), "a restart of the agent makes a new arena", ESTALE});
}

/// Whether the header is of this program, this boot and this file.
Result<void> check(const ArenaHeader& header, const std::string& path, std::uint64_t file_size) {
    if (header.magic != kArenaMagic)
        return stale(format("arena \"{}\": not an arena (magic {:#x})", path, header.magic));
    if (header.layout_version != kLayoutVersion)
        return stale(format("arena \"{}\": layout version {}, this program has {}", path,
                            header.layout_version, kLayoutVersion));
    if (header.layout_hash != layout_hash())
        return stale(
            format("arena \"{}\": layout {:#018x}, this program has {:#018x}: made by "
                   "another version",
                   path, header.layout_hash, layout_hash()));
    if (header.ready.load(std::memory_order_acquire) != 1)
        return stale(format("arena \"{}\": not complete", path));
    if (header.superseded.load(std::memory_order_acquire) != 0)
        return stale(format("arena \"{}\": a newer one has taken its place", path));
    const std::string_view boot(header.boot_id.data(),
                                ::strnlen(header.boot_id.data(), header.boot_id.size()));
    if (boot != boot_id())
        return stale(format("arena \"{}\": of boot {}, this is {}", path, boot, boot_id()));
    const ArenaConfig config{.max_flows = header.max_flows,
                             .max_ports = header.max_ports,
                             .max_bridges = header.max_bridges,
                             .max_workers = header.max_workers};
    const ArenaPlan wanted = plan(rounded(config));
    if (rounded(config) != config || header.size != wanted.size || file_size != wanted.size ||
        header.agent_size != wanted.agent_size || header.regions != wanted.regions)
        return stale(format("arena \"{}\": size {} (file {}), {} expected", path, header.size,
                            file_size, wanted.size));
    return {};
}

}  // namespace

Result<ArenaView> ArenaView::open(const std::string& rundir, Side side) {
    TRY_ASSIGN(ArenaFile file,
               open_arena_file(rundir, side == Side::nobody ? Access::read : Access::write));
    struct stat status{};
    if (::fstat(file.fd.get(), &status) != 0)
        return fail_errno(format("arena \"{}\"", file.path), errno);
    if (status.st_size < static_cast<off_t>(sizeof(ArenaHeader)))
        return stale(format("arena \"{}\": {} bytes, too small", file.path, status.st_size));
    ArenaView view;
    view.path_ = std::move(file.path);
    view.file_ = std::move(file.fd);
    view.huge_ = file.huge;
    {
        // hugetlbfs maps whole pages only
        const std::size_t size = view.huge_ ? kHugePage : sizeof(ArenaHeader);
        void* base = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, view.file_.get(), 0);
        if (base == MAP_FAILED) return fail_errno(format("arena \"{}\"", view.path_), errno);
        const Mapping page(base, size);
        const auto& header = *reinterpret_cast<const ArenaHeader*>(page.data());
        TRY(check(header, view.path_, static_cast<std::uint64_t>(status.st_size)));
        view.plan_ = plan({.max_flows = header.max_flows,
                           .max_ports = header.max_ports,
                           .max_bridges = header.max_bridges,
                           .max_workers = header.max_workers});
    }
    TRY(view.map(side, Populate::no));
    return view;
}

Result<void> ArenaView::map(Side side, Populate populate) {
    const int flags = MAP_SHARED | (populate == Populate::yes ? MAP_POPULATE : 0);
    const auto part = [&](std::uint64_t offset, std::uint64_t size,
                          bool writable) -> Result<Mapping> {
        void* base = ::mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, flags,
                            file_.get(), static_cast<off_t>(offset));
        if (base == MAP_FAILED)
            return fail_errno(format("arena \"{}\": map {} MB", path_, size >> 20), errno);
        return Mapping(base, size);
    };
    TRY_ASSIGN(agent_, part(0, plan_.agent_size, side == Side::agent));
    TRY_ASSIGN(dataplane_,
               part(plan_.agent_size, plan_.size - plan_.agent_size, side == Side::dataplane));
    find_regions();
    return {};
}

void ArenaView::find_regions() {
    for (std::size_t i = 0; i < kRegions; ++i) {
        const std::uint64_t offset = plan_.regions[i].offset;
        bases_[i] = offset < plan_.agent_size ? agent_.data() + offset
                                              : dataplane_.data() + (offset - plan_.agent_size);
    }
    const auto length = [&](Region region, std::size_t element) {
        return static_cast<std::uint32_t>(plan_[region].size / element);
    };
    bridges_ = &at<BridgeRecord>(Region::bridges, 0);
    wanted_ports_ = &at<WantedPort>(Region::wanted_ports, 0);
    port_maps_ = &at<std::atomic<PortMapEntry>>(Region::port_maps, 0);
    port_bits_ = &at<std::atomic<std::uint64_t>>(Region::port_bits, 0);
    hot_ = &at<FlowHot>(Region::hot, 0);
    cold_ = &at<FlowCold>(Region::cold, 0);
    masks_ = &at<MaskRecord>(Region::masks, 0);
    lines_ = &at<Line>(Region::lines, 0);
    chunks_ = &at<Chunk>(Region::chunks, 0);
    flow_mask_ = length(Region::hot, sizeof(FlowHot)) - 1;
    n_cold_ = length(Region::cold, sizeof(FlowCold));
    mask_mask_ = length(Region::masks, sizeof(MaskRecord)) - 1;
    line_mask_ = length(Region::lines, sizeof(Line)) - 1;
    chunk_mask_ = length(Region::chunks, sizeof(Chunk)) - 1;
    bridge_mask_ = header().max_bridges - 1u;
    port_mask_ = header().max_ports - 1u;
    worker_mask_ = header().max_workers - 1u;
    n_groups_ = max_groups(config());
    n_buckets_ = max_buckets(config());
    n_meters_ = max_meters(config());
    n_meter_states_ = max_meter_states(config());
}

Result<ArenaView> ArenaView::attach(const std::string& rundir) {
    return open(rundir, Side::nobody);
}

namespace {
/// One byte of the file a side; an open file description's lock ends with its process.
struct flock lock_of(int byte) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}
}  // namespace

Result<void> ArenaView::lock(Side side) {
    struct flock lock = lock_of(static_cast<int>(side));
    if (::fcntl(file_.get(), F_OFD_SETLK, &lock) == 0) return {};
    if (errno != EAGAIN && errno != EACCES) return fail_errno(format("arena \"{}\"", path_), errno);
    const bool agent = side == Side::agent;
    const std::uint64_t pid = agent ? agent_words().pid.load(std::memory_order_relaxed)
                                    : dataplane_words().pid.load(std::memory_order_relaxed);
    return std::unexpected(Error{format("arena \"{}\": another {} has it (pid {})", path_,
                                        agent ? "agent" : "dataplane", pid),
                                 "use another --rundir, or stop the other one", EBUSY});
}

bool ArenaView::held(Side side) const {
    struct flock lock = lock_of(static_cast<int>(side));
    return ::fcntl(file_.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

std::string ArenaView::backing_text() const {
    return huge_ ? format("hugetlbfs 2 MB × {}", size() / kHugePage) : std::string("4 kB");
}

ArenaConfig ArenaView::config() const {
    return {.max_flows = header().max_flows,
            .max_ports = header().max_ports,
            .max_bridges = header().max_bridges,
            .max_workers = header().max_workers};
}

// --- sums over workers ------------------------------------------------------------------------

namespace {
std::uint64_t read(const std::uint64_t& counter) {
    return __atomic_load_n(&counter, __ATOMIC_RELAXED);  // the worker stores whole words
}

/// Adds the words of `row` to `sum`; both are structures of 64-bit counters only.
template <class Row>
void add_row(Row& sum, const Row& row) {
    auto* to = reinterpret_cast<std::uint64_t*>(&sum);
    const auto* from = reinterpret_cast<const std::uint64_t*>(&row);
    for (std::size_t i = 0; i < sizeof(Row) / 8; ++i) to[i] += read(from[i]);
}
template <class Row>
void subtract_row(Row& sum, const Row& row) {
    auto* to = reinterpret_cast<std::uint64_t*>(&sum);
    const auto* from = reinterpret_cast<const std::uint64_t*>(&row);
    for (std::size_t i = 0; i < sizeof(Row) / 8; ++i) to[i] -= from[i];
}
}  // namespace

PortCounters ArenaView::port_totals(PortSlot slot) const {
    PortCounters sum{};
    for (std::uint8_t w = 0; w < max_workers(); ++w) add_row(sum, port_counters(WorkerId(w), slot));
    subtract_row(sum, at<PortCounters>(Region::port_bases, slot.value() & port_mask_));
    return sum;
}

DropCounters ArenaView::drop_totals(PortSlot slot) const {
    DropCounters sum{};
    for (std::uint8_t w = 0; w < max_workers(); ++w) add_row(sum, drop_counters(WorkerId(w), slot));
    subtract_row(sum, at<DropCounters>(Region::drop_bases, slot.value() & port_mask_));
    return sum;
}

TableCounters ArenaView::table_totals(BridgeId bridge, TableId table) const {
    TableCounters sum{};
    for (std::uint8_t w = 0; w < max_workers(); ++w)
        add_row(sum, table_counters(WorkerId(w), bridge, table));
    subtract_row(sum,
                 at<TableCounters>(Region::table_bases, table_row(WorkerId(0), bridge, table)));
    return sum;
}

namespace {
/// Over all workers.
template <class Row, class RowOf>
Row sum_rows(std::size_t workers, const RowOf& row_of) {
    Row sum{};
    for (std::uint8_t w = 0; w < workers; ++w) add_row(sum, row_of(WorkerId(w)));
    return sum;
}
}  // namespace

Tally ArenaView::group_sum(std::uint32_t row) const {
    return sum_rows<Tally>(max_workers(),
                           [&](WorkerId w) -> auto& { return group_counter(w, row); });
}
Tally ArenaView::bucket_sum(std::uint32_t row) const {
    return sum_rows<Tally>(max_workers(),
                           [&](WorkerId w) -> auto& { return bucket_counter(w, row); });
}
Tally ArenaView::meter_sum(std::uint32_t row) const {
    return sum_rows<Tally>(max_workers(),
                           [&](WorkerId w) -> auto& { return meter_counter(w, row); });
}
BandTallies ArenaView::band_sums(std::uint32_t state) const {
    return sum_rows<BandTallies>(max_workers(),
                                 [&](WorkerId w) -> auto& { return band_counters(w, state); });
}

PortQueueCounters ArenaView::queue_totals(PortSlot slot) const {
    auto sum = sum_rows<PortQueueCounters>(
        max_workers(), [&](WorkerId w) -> auto& { return queue_counters(w, slot); });
    subtract_row(sum, at<PortQueueCounters>(Region::queue_bases, slot.value() & port_mask_));
    return sum;
}

ArenaView::FlowSum ArenaView::flow_sum(std::uint32_t flow, std::uint64_t now_ns) const {
    FlowSum sum;
    for (std::uint8_t w = 0; w < max_workers(); ++w) {
        const FlowCounter counter = load(flow_counter(WorkerId(w), flow));
        sum.packets += counter.packets();
        sum.bytes += counter.bytes;
        if (counter.packets_tick != 0)
            sum.last_used_ns = std::max(sum.last_used_ns, time_of_tick(counter.tick(), now_ns));
    }
    sum.packets &= kPacketsMask;
    return sum;
}

}  // namespace raicho::shm
