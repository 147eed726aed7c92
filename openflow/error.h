// SPDX-License-Identifier: Apache-2.0
// OpenFlow errors (OF 1.3.5 §7.4.4): one table of every type and code with its spec name; the
// value that codec and model return. Neighbour: message.h has ErrorMsg, what a peer sent.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace raicho::openflow {

enum class ErrorType : std::uint16_t {
    hello_failed = 0,
    bad_request = 1,
    bad_action = 2,
    bad_instruction = 3,
    bad_match = 4,
    flow_mod_failed = 5,
    group_mod_failed = 6,
    port_mod_failed = 7,
    table_mod_failed = 8,
    queue_op_failed = 9,
    switch_config_failed = 10,
    role_request_failed = 11,
    meter_mod_failed = 12,
    table_features_failed = 13,
    experimenter = 0xffff,
};

enum class HelloFailed : std::uint16_t { incompatible, eperm };
enum class BadRequest : std::uint16_t {
    bad_version,
    bad_type,
    bad_multipart,
    bad_experimenter,
    bad_exp_type,
    eperm,
    bad_len,
    buffer_empty,
    buffer_unknown,
    bad_table_id,
    is_slave,
    bad_port,
    bad_packet,
    multipart_buffer_overflow,
};
enum class BadAction : std::uint16_t {
    bad_type,
    bad_len,
    bad_experimenter,
    bad_exp_type,
    bad_out_port,
    bad_argument,
    eperm,
    too_many,
    bad_queue,
    bad_out_group,
    match_inconsistent,
    unsupported_order,
    bad_tag,
    bad_set_type,
    bad_set_len,
    bad_set_argument,
};
enum class BadInstruction : std::uint16_t {
    unknown_inst,
    unsup_inst,
    bad_table_id,
    unsup_metadata,
    unsup_metadata_mask,
    bad_experimenter,
    bad_exp_type,
    bad_len,
    eperm,
    dup_inst,
};
enum class BadMatch : std::uint16_t {
    bad_type,
    bad_len,
    bad_tag,
    bad_dl_addr_mask,
    bad_nw_addr_mask,
    bad_wildcards,
    bad_field,
    bad_value,
    bad_mask,
    bad_prereq,
    dup_field,
    eperm,
};
enum class FlowModFailed : std::uint16_t {
    unknown,
    table_full,
    bad_table_id,
    overlap,
    eperm,
    bad_timeout,
    bad_command,
    bad_flags,
};
enum class GroupModFailed : std::uint16_t {
    group_exists,
    invalid_group,
    weight_unsupported,
    out_of_groups,
    out_of_buckets,
    chaining_unsupported,
    watch_unsupported,
    loop,
    unknown_group,
    chained_group,
    bad_type,
    bad_command,
    bad_bucket,
    bad_watch,
    eperm,
};
enum class PortModFailed : std::uint16_t {
    bad_port,
    bad_hw_addr,
    bad_config,
    bad_advertise,
    eperm
};
enum class TableModFailed : std::uint16_t { bad_table, bad_config, eperm };
enum class QueueOpFailed : std::uint16_t { bad_port, bad_queue, eperm };
enum class SwitchConfigFailed : std::uint16_t { bad_flags, bad_len, eperm };
enum class RoleRequestFailed : std::uint16_t { stale, unsup, bad_role };
enum class MeterModFailed : std::uint16_t {
    unknown,
    meter_exists,
    invalid_meter,
    unknown_meter,
    bad_command,
    bad_flags,
    bad_rate,
    bad_burst,
    bad_band,
    bad_band_value,
    out_of_meters,
    out_of_bands,
};
enum class TableFeaturesFailed : std::uint16_t {
    bad_table,
    bad_metadata,
    bad_type,
    bad_len,
    bad_argument,
    eperm,
};

/// One OpenFlow error, to be sent with the first bytes of the message that caused it. `why` is for
/// the log and for `test flow`; it never travels.
struct OfpError {
    ErrorType type{};
    std::uint16_t code = 0;
    std::string why{};
};

template <class T>
using OfResult = std::expected<T, OfpError>;

/// Maps a code enum to its type, so that `ofp_error(BadMatch::dup_field)` cannot mix them up.
template <class Code>
struct ErrorTypeOf;
#define RAICHO_OFP_ERROR_TYPE(Code, type_)                   \
    template <>                                              \
    struct ErrorTypeOf<Code> {                               \
        static constexpr ErrorType value = ErrorType::type_; \
    }
RAICHO_OFP_ERROR_TYPE(HelloFailed, hello_failed);
RAICHO_OFP_ERROR_TYPE(BadRequest, bad_request);
RAICHO_OFP_ERROR_TYPE(BadAction, bad_action);
RAICHO_OFP_ERROR_TYPE(BadInstruction, bad_instruction);
RAICHO_OFP_ERROR_TYPE(BadMatch, bad_match);
RAICHO_OFP_ERROR_TYPE(FlowModFailed, flow_mod_failed);
RAICHO_OFP_ERROR_TYPE(GroupModFailed, group_mod_failed);
RAICHO_OFP_ERROR_TYPE(PortModFailed, port_mod_failed);
RAICHO_OFP_ERROR_TYPE(TableModFailed, table_mod_failed);
RAICHO_OFP_ERROR_TYPE(QueueOpFailed, queue_op_failed);
RAICHO_OFP_ERROR_TYPE(SwitchConfigFailed, switch_config_failed);
RAICHO_OFP_ERROR_TYPE(RoleRequestFailed, role_request_failed);
RAICHO_OFP_ERROR_TYPE(MeterModFailed, meter_mod_failed);
RAICHO_OFP_ERROR_TYPE(TableFeaturesFailed, table_features_failed);
#undef RAICHO_OFP_ERROR_TYPE

/// `return ofp_error(FlowModFailed::overlap, "…");`
template <class Code>
[[nodiscard]] std::unexpected<OfpError> ofp_error(Code code, std::string why = {}) {
    return std::unexpected(
        OfpError{ErrorTypeOf<Code>::value, static_cast<std::uint16_t>(code), std::move(why)});
}

/// `OFPET_BAD_MATCH (4)`, `OFPBMC_DUP_FIELD (10)`; unknown numbers print as numbers.
[[nodiscard]] std::string error_type_name(std::uint16_t type);
[[nodiscard]] std::string error_code_name(std::uint16_t type, std::uint16_t code);

}  // namespace raicho::openflow
