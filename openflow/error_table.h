// SPDX-License-Identifier: Apache-2.0
// Every error type and code of OF 1.3.5 §7.4.4 as one table, sorted by type and code. error.h has
// the enumerators, error.cc the look-up; the vectors' completeness test walks these rows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "openflow/error.h"

namespace raicho::openflow {

/// One ofp_error_type.
struct ErrorTypeRow {
    ErrorType type;
    std::string_view name;
};
/// One code of one type.
struct ErrorCodeRow {
    ErrorType type;
    std::uint16_t code;
    std::string_view name;
};

inline constexpr std::array<ErrorTypeRow, 15> kErrorTypeRows{{
    {ErrorType::hello_failed, "OFPET_HELLO_FAILED"},
    {ErrorType::bad_request, "OFPET_BAD_REQUEST"},
    {ErrorType::bad_action, "OFPET_BAD_ACTION"},
    {ErrorType::bad_instruction, "OFPET_BAD_INSTRUCTION"},
    {ErrorType::bad_match, "OFPET_BAD_MATCH"},
    {ErrorType::flow_mod_failed, "OFPET_FLOW_MOD_FAILED"},
    {ErrorType::group_mod_failed, "OFPET_GROUP_MOD_FAILED"},
    {ErrorType::port_mod_failed, "OFPET_PORT_MOD_FAILED"},
    {ErrorType::table_mod_failed, "OFPET_TABLE_MOD_FAILED"},
    {ErrorType::queue_op_failed, "OFPET_QUEUE_OP_FAILED"},
    {ErrorType::switch_config_failed, "OFPET_SWITCH_CONFIG_FAILED"},
    {ErrorType::role_request_failed, "OFPET_ROLE_REQUEST_FAILED"},
    {ErrorType::meter_mod_failed, "OFPET_METER_MOD_FAILED"},
    {ErrorType::table_features_failed, "OFPET_TABLE_FEATURES_FAILED"},
    {ErrorType::experimenter, "OFPET_EXPERIMENTER"},
}};

inline constexpr std::array<ErrorCodeRow, 112> kErrorCodeRows{{
    {ErrorType::hello_failed, 0, "OFPHFC_INCOMPATIBLE"},
    {ErrorType::hello_failed, 1, "OFPHFC_EPERM"},
    {ErrorType::bad_request, 0, "OFPBRC_BAD_VERSION"},
    {ErrorType::bad_request, 1, "OFPBRC_BAD_TYPE"},
    {ErrorType::bad_request, 2, "OFPBRC_BAD_MULTIPART"},
    {ErrorType::bad_request, 3, "OFPBRC_BAD_EXPERIMENTER"},
    {ErrorType::bad_request, 4, "OFPBRC_BAD_EXP_TYPE"},
    {ErrorType::bad_request, 5, "OFPBRC_EPERM"},
    {ErrorType::bad_request, 6, "OFPBRC_BAD_LEN"},
    {ErrorType::bad_request, 7, "OFPBRC_BUFFER_EMPTY"},
    {ErrorType::bad_request, 8, "OFPBRC_BUFFER_UNKNOWN"},
    {ErrorType::bad_request, 9, "OFPBRC_BAD_TABLE_ID"},
    {ErrorType::bad_request, 10, "OFPBRC_IS_SLAVE"},
    {ErrorType::bad_request, 11, "OFPBRC_BAD_PORT"},
    {ErrorType::bad_request, 12, "OFPBRC_BAD_PACKET"},
    {ErrorType::bad_request, 13, "OFPBRC_MULTIPART_BUFFER_OVERFLOW"},
    {ErrorType::bad_action, 0, "OFPBAC_BAD_TYPE"},
    {ErrorType::bad_action, 1, "OFPBAC_BAD_LEN"},
    {ErrorType::bad_action, 2, "OFPBAC_BAD_EXPERIMENTER"},
    {ErrorType::bad_action, 3, "OFPBAC_BAD_EXP_TYPE"},
    {ErrorType::bad_action, 4, "OFPBAC_BAD_OUT_PORT"},
    {ErrorType::bad_action, 5, "OFPBAC_BAD_ARGUMENT"},
    {ErrorType::bad_action, 6, "OFPBAC_EPERM"},
    {ErrorType::bad_action, 7, "OFPBAC_TOO_MANY"},
    {ErrorType::bad_action, 8, "OFPBAC_BAD_QUEUE"},
    {ErrorType::bad_action, 9, "OFPBAC_BAD_OUT_GROUP"},
    {ErrorType::bad_action, 10, "OFPBAC_MATCH_INCONSISTENT"},
    {ErrorType::bad_action, 11, "OFPBAC_UNSUPPORTED_ORDER"},
    {ErrorType::bad_action, 12, "OFPBAC_BAD_TAG"},
    {ErrorType::bad_action, 13, "OFPBAC_BAD_SET_TYPE"},
    {ErrorType::bad_action, 14, "OFPBAC_BAD_SET_LEN"},
    {ErrorType::bad_action, 15, "OFPBAC_BAD_SET_ARGUMENT"},
    {ErrorType::bad_instruction, 0, "OFPBIC_UNKNOWN_INST"},
    {ErrorType::bad_instruction, 1, "OFPBIC_UNSUP_INST"},
    {ErrorType::bad_instruction, 2, "OFPBIC_BAD_TABLE_ID"},
    {ErrorType::bad_instruction, 3, "OFPBIC_UNSUP_METADATA"},
    {ErrorType::bad_instruction, 4, "OFPBIC_UNSUP_METADATA_MASK"},
    {ErrorType::bad_instruction, 5, "OFPBIC_BAD_EXPERIMENTER"},
    {ErrorType::bad_instruction, 6, "OFPBIC_BAD_EXP_TYPE"},
    {ErrorType::bad_instruction, 7, "OFPBIC_BAD_LEN"},
    {ErrorType::bad_instruction, 8, "OFPBIC_EPERM"},
    {ErrorType::bad_instruction, 9, "OFPBIC_DUP_INST"},
    {ErrorType::bad_match, 0, "OFPBMC_BAD_TYPE"},
    {ErrorType::bad_match, 1, "OFPBMC_BAD_LEN"},
    {ErrorType::bad_match, 2, "OFPBMC_BAD_TAG"},
    {ErrorType::bad_match, 3, "OFPBMC_BAD_DL_ADDR_MASK"},
    {ErrorType::bad_match, 4, "OFPBMC_BAD_NW_ADDR_MASK"},
    {ErrorType::bad_match, 5, "OFPBMC_BAD_WILDCARDS"},
    {ErrorType::bad_match, 6, "OFPBMC_BAD_FIELD"},
    {ErrorType::bad_match, 7, "OFPBMC_BAD_VALUE"},
    {ErrorType::bad_match, 8, "OFPBMC_BAD_MASK"},
    {ErrorType::bad_match, 9, "OFPBMC_BAD_PREREQ"},
    {ErrorType::bad_match, 10, "OFPBMC_DUP_FIELD"},
    {ErrorType::bad_match, 11, "OFPBMC_EPERM"},
    {ErrorType::flow_mod_failed, 0, "OFPFMFC_UNKNOWN"},
    {ErrorType::flow_mod_failed, 1, "OFPFMFC_TABLE_FULL"},
    {ErrorType::flow_mod_failed, 2, "OFPFMFC_BAD_TABLE_ID"},
    {ErrorType::flow_mod_failed, 3, "OFPFMFC_OVERLAP"},
    {ErrorType::flow_mod_failed, 4, "OFPFMFC_EPERM"},
    {ErrorType::flow_mod_failed, 5, "OFPFMFC_BAD_TIMEOUT"},
    {ErrorType::flow_mod_failed, 6, "OFPFMFC_BAD_COMMAND"},
    {ErrorType::flow_mod_failed, 7, "OFPFMFC_BAD_FLAGS"},
    {ErrorType::group_mod_failed, 0, "OFPGMFC_GROUP_EXISTS"},
    {ErrorType::group_mod_failed, 1, "OFPGMFC_INVALID_GROUP"},
    {ErrorType::group_mod_failed, 2, "OFPGMFC_WEIGHT_UNSUPPORTED"},
    {ErrorType::group_mod_failed, 3, "OFPGMFC_OUT_OF_GROUPS"},
    {ErrorType::group_mod_failed, 4, "OFPGMFC_OUT_OF_BUCKETS"},
    {ErrorType::group_mod_failed, 5, "OFPGMFC_CHAINING_UNSUPPORTED"},
    {ErrorType::group_mod_failed, 6, "OFPGMFC_WATCH_UNSUPPORTED"},
    {ErrorType::group_mod_failed, 7, "OFPGMFC_LOOP"},
    {ErrorType::group_mod_failed, 8, "OFPGMFC_UNKNOWN_GROUP"},
    {ErrorType::group_mod_failed, 9, "OFPGMFC_CHAINED_GROUP"},
    {ErrorType::group_mod_failed, 10, "OFPGMFC_BAD_TYPE"},
    {ErrorType::group_mod_failed, 11, "OFPGMFC_BAD_COMMAND"},
    {ErrorType::group_mod_failed, 12, "OFPGMFC_BAD_BUCKET"},
    {ErrorType::group_mod_failed, 13, "OFPGMFC_BAD_WATCH"},
    {ErrorType::group_mod_failed, 14, "OFPGMFC_EPERM"},
    {ErrorType::port_mod_failed, 0, "OFPPMFC_BAD_PORT"},
    {ErrorType::port_mod_failed, 1, "OFPPMFC_BAD_HW_ADDR"},
    {ErrorType::port_mod_failed, 2, "OFPPMFC_BAD_CONFIG"},
    {ErrorType::port_mod_failed, 3, "OFPPMFC_BAD_ADVERTISE"},
    {ErrorType::port_mod_failed, 4, "OFPPMFC_EPERM"},
    {ErrorType::table_mod_failed, 0, "OFPTMFC_BAD_TABLE"},
    {ErrorType::table_mod_failed, 1, "OFPTMFC_BAD_CONFIG"},
    {ErrorType::table_mod_failed, 2, "OFPTMFC_EPERM"},
    {ErrorType::queue_op_failed, 0, "OFPQOFC_BAD_PORT"},
    {ErrorType::queue_op_failed, 1, "OFPQOFC_BAD_QUEUE"},
    {ErrorType::queue_op_failed, 2, "OFPQOFC_EPERM"},
    {ErrorType::switch_config_failed, 0, "OFPSCFC_BAD_FLAGS"},
    {ErrorType::switch_config_failed, 1, "OFPSCFC_BAD_LEN"},
    {ErrorType::switch_config_failed, 2, "OFPSCFC_EPERM"},
    {ErrorType::role_request_failed, 0, "OFPRRFC_STALE"},
    {ErrorType::role_request_failed, 1, "OFPRRFC_UNSUP"},
    {ErrorType::role_request_failed, 2, "OFPRRFC_BAD_ROLE"},
    {ErrorType::meter_mod_failed, 0, "OFPMMFC_UNKNOWN"},
    {ErrorType::meter_mod_failed, 1, "OFPMMFC_METER_EXISTS"},
    {ErrorType::meter_mod_failed, 2, "OFPMMFC_INVALID_METER"},
    {ErrorType::meter_mod_failed, 3, "OFPMMFC_UNKNOWN_METER"},
    {ErrorType::meter_mod_failed, 4, "OFPMMFC_BAD_COMMAND"},
    {ErrorType::meter_mod_failed, 5, "OFPMMFC_BAD_FLAGS"},
    {ErrorType::meter_mod_failed, 6, "OFPMMFC_BAD_RATE"},
    {ErrorType::meter_mod_failed, 7, "OFPMMFC_BAD_BURST"},
    {ErrorType::meter_mod_failed, 8, "OFPMMFC_BAD_BAND"},
    {ErrorType::meter_mod_failed, 9, "OFPMMFC_BAD_BAND_VALUE"},
    {ErrorType::meter_mod_failed, 10, "OFPMMFC_OUT_OF_METERS"},
    {ErrorType::meter_mod_failed, 11, "OFPMMFC_OUT_OF_BANDS"},
    {ErrorType::table_features_failed, 0, "OFPTFFC_BAD_TABLE"},
    {ErrorType::table_features_failed, 1, "OFPTFFC_BAD_METADATA"},
    {ErrorType::table_features_failed, 2, "OFPTFFC_BAD_TYPE"},
    {ErrorType::table_features_failed, 3, "OFPTFFC_BAD_LEN"},
    {ErrorType::table_features_failed, 4, "OFPTFFC_BAD_ARGUMENT"},
    {ErrorType::table_features_failed, 5, "OFPTFFC_EPERM"},
}};

namespace detail {
/// Codes of a type count up from 0 without a gap, types count up too.
consteval bool error_rows_in_order() {
    for (std::size_t i = 1; i < kErrorTypeRows.size(); ++i)
        if (kErrorTypeRows[i - 1].type >= kErrorTypeRows[i].type) return false;
    for (std::size_t i = 0; i < kErrorCodeRows.size(); ++i) {
        const bool first = i == 0 || kErrorCodeRows[i - 1].type != kErrorCodeRows[i].type;
        if (first && i > 0 && kErrorCodeRows[i - 1].type > kErrorCodeRows[i].type) return false;
        if (kErrorCodeRows[i].code != (first ? 0 : kErrorCodeRows[i - 1].code + 1)) return false;
    }
    return true;
}
template <class Code>
consteval std::size_t error_codes_of() {
    std::size_t n = 0;
    for (const ErrorCodeRow& row : kErrorCodeRows)
        if (row.type == ErrorTypeOf<Code>::value) ++n;
    return n;
}
/// The table ends with the enum's last enumerator.
template <class Code>
consteval bool ends_with(Code last) {
    return error_codes_of<Code>() == static_cast<std::size_t>(last) + 1;
}
static_assert(error_rows_in_order());
static_assert(ends_with(HelloFailed::eperm));
static_assert(ends_with(BadRequest::multipart_buffer_overflow));
static_assert(ends_with(BadAction::bad_set_argument));
static_assert(ends_with(BadInstruction::dup_inst));
static_assert(ends_with(BadMatch::eperm));
static_assert(ends_with(FlowModFailed::bad_flags));
static_assert(ends_with(GroupModFailed::eperm));
static_assert(ends_with(PortModFailed::eperm));
static_assert(ends_with(TableModFailed::eperm));
static_assert(ends_with(QueueOpFailed::eperm));
static_assert(ends_with(SwitchConfigFailed::eperm));
static_assert(ends_with(RoleRequestFailed::bad_role));
static_assert(ends_with(MeterModFailed::out_of_bands));
static_assert(ends_with(TableFeaturesFailed::eperm));
}  // namespace detail

}  // namespace raicho::openflow
