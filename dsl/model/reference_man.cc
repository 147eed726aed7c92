// SPDX-License-Identifier: Apache-2.0
// The manual page of configuration files. Neighbour: reference_doc.cc, the same for Markdown.
#include <string_view>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/reference_doc.h"
#include "dsl/model/schema.h"

namespace raicho::dsl {

namespace {

constexpr std::string_view kManHead = R"(.\" Made by lagosh schema --man; do not edit.
.TH RAICHO.CONF 5 "" Raicho "Raicho manual"
.SH NAME
raicho.conf \- configuration of the Raicho OpenFlow switch
.SH SYNOPSIS
.nf
bridge br0 {
    port h1\-br 1
    port h2\-br 2
    controller tcp:127.0.0.1:6653
}
.fi
.SH DESCRIPTION
A configuration says what there shall be, in any order; everything has a default.
.B raicho run \-C FILE
starts a switch from one,
.B lagosh load FILE
makes a running switch what one says,
.B lagosh check FILE
judges one.
.PP
A semicolon or the end of a line ends a statement, braces hold what belongs to it, brackets a
list. # and /* */ are comments. A value with blanks or one of ; { } [ ] stands in quotes. Numbers
take k, M, G and Ki, Mi, Gi, times ms, s, m, h, d.
.B inactive
before a statement keeps it and takes it out of force.
)";

/// For troff: a backslash is an escape, a hyphen that is typed is a minus, and no line of text
/// begins with a dot or a quote.
std::string typed(std::string_view text) {
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
    for (const char c : text) {
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string man_entry(std::string_view word, std::string_view rest, std::string_view help) {
    return format(".TP\n\\fB{}\\fR{}{}\n{}\n", typed(word), rest.empty() ? "" : " ", typed(rest),
                  typed(help));
}

std::string man_entry(const Row& r) {
    std::string rest = value_text(r);
    if (r.type == Type::block) rest += rest.empty() ? "{ ... }" : " { ... }";
    std::string help(r.help);
    if (r.cardinality == Cardinality::many) help += "; many";
    if (!r.fallback.empty()) help += format("; default {}", r.fallback);
    help += effect_text(r.effect);
    return man_entry(r.name, rest, help);
}

void man_section(std::string_view parent, std::string& out) {
    out += parent.empty() ? ".SH STATEMENTS\n" : format(".SS In {}\n", typed(parent));
    for (const Row& r : children(parent)) out += man_entry(r);
    for (const Row& r : children(parent))
        if (r.type == Type::block) man_section(r.path(), out);
}

}  // namespace

std::string language_manual() {
    std::string out(kManHead);
    man_section("", out);
    out += ".SH DEVICES\nWhat a port's device may be.\n";
    for (const DeviceRow& d : device_rows())
        out += man_entry(d.word, d.arguments,
                         format("{}{}", d.help, d.kind ? "" : "; not yet, it is refused"));
    return out + ".SH SEE ALSO\n.BR lagosh (1)\n";
}

}  // namespace raicho::dsl
