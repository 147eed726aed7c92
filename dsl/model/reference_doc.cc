// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/reference_doc.h"

#include <string_view>

#include "base/text.h"
#include "dsl/model/device.h"
#include "dsl/model/schema.h"

namespace raicho::dsl {

namespace {

constexpr std::string_view kIntroduction = R"(# The configuration language

Made by `lagosh schema --markdown`; do not edit.

A configuration says what there shall be, in any order; everything has a default.

```
bridge br0 {                        # the whole file of a lab with two hosts
    port h1-br 1
    port h2-br 2
    controller tcp:127.0.0.1:6653
}
```

- `;` or the end of a line ends a statement, `{ }` holds what belongs to it, `[ a b ]` is a list.
- `# …` and `/* … */` are comments. Quotes are needed where a value has blanks, `; { } [ ] "` or `'` in it:
  `"…"` knows `\"` `\\` `\n` `\t`, `'…'` takes everything as it is.
- Numbers take `k M G` (1000) and `Ki Mi Gi` (1024), sizes `K M G T` (1024), rates `k M G` (bits a second),
  times `ms s m h d`.
- `inactive` before a statement keeps it and takes it out of force.
- `define NAME VALUE` at the top gives a value a name; `$NAME` and `${NAME}` stand for it anywhere but in single quotes,
  `$$` is a plain dollar.
- `include FILE` puts the statements of other files in its place, in any block. The name is relative to the file it stands
  in and may have wildcards: `include "ports.d/*.conf"`.

Every statement has a twin that is a command (`set bridge br0 port h1-br number 1`) and a place in a JSON form;
`lagosh convert --to set|json|conf FILE` turns one into another, `lagosh check FILE` judges a file, `lagosh fmt -w FILE`
lays it out, `lagosh diff A B` says what two files mean differently.

A flow is ovs-ofctl text in quotes, or a named block whose `match` and `actions` hold the same words:

```
flow "table=0,priority=90,ip,nw_dst=10.0.1.0/24 actions=dec_ttl,output:wan1"
flow to-controller { priority 10; match arp; actions CONTROLLER }
```

Groups and meters are blocks whose buckets and bands hold ovs-ofctl's words, or whole ovs-ofctl texts in quotes; flows
name them by number:

```
meter 1 { unit kbps; burst; band type=drop,rate=1000,burst_size=100 }
group 1 { type select; bucket weight=2,actions=output:wan1; bucket weight=1,actions=output:wan2 }
group "group_id=2,type=all,bucket=output:wan1,bucket=output:wan2"
flow "in_port=lan actions=meter:1,group:1"
```

A controller may change or delete them as it may the flows of a configuration. The next commit that has to do with the
bridge puts back what is configured, and says so, but for flows with a timeout, which may have gone by themselves; a
commit that no longer has a group leaves it to a controller that has made it its own, or whose flows use it. The role of
a controller is no setting: since OpenFlow 1.3 the controller takes it.
)";

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string statement(const Row& r) {
    const std::string value = value_text(r);
    std::string out = std::string(r.name) + (value.empty() ? "" : " " + value);
    if (r.type == Type::block) out += " { … }";
    return out;
}

void section(std::string_view parent, std::string& out) {
    const std::string title = parent.empty() ? "At the top" : format("In `{}`", parent);
    out += format("\n## {}\n\n| statement | default | what |\n|---|---|---|\n", title);
    for (const Row& r : children(parent)) {
        std::string help = escaped(r.help);
        if (r.cardinality == Cardinality::many) help += "; many";
        help += effect_text(r.effect);
        out += format("| `{}` | {} | {} |\n", escaped(statement(r)),
                      r.fallback.empty() ? "–" : escaped(r.fallback), help);
    }
    for (const Row& r : children(parent))
        if (r.type == Type::block) section(r.path(), out);
}

// --- JSON Schema -----------------------------------------------------------------------------

std::string quoted_json(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

class SchemaWriter {
  public:
    std::string run() {
        out_ =
            "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
            "  \"title\": \"Configuration of the Raicho switch, JSON form\",\n";
        object("", 1);
        return std::move(out_) + "}\n";
    }

  private:
    void line(std::size_t depth, std::string_view text) {
        out_.append(depth * 2, ' ');
        out_ += text;
        out_ += '\n';
    }

    /// The members of an object's schema, without its braces.
    void object(std::string_view path, std::size_t depth) {
        line(depth, "\"type\": \"object\",");
        line(depth, "\"additionalProperties\": false,");
        line(depth, "\"patternProperties\": {\"^@\": {\"type\": \"object\"}},");
        line(depth, "\"properties\": {");
        std::string_view separator;
        for (const Row& r : children(path)) {
            out_ += separator;
            property(r, depth + 1);
            separator = ",\n";
        }
        out_ += '\n';
        line(depth, "}");
    }

    void property(const Row& r, std::size_t depth) {
        line(depth, format("{}: {{", quoted_json(r.name)));
        line(depth + 1, format("\"description\": {},", quoted_json(r.help)));
        if (r.type == Type::block && r.key == Key::none) {
            object(r.path(), depth + 1);
        } else if (r.type == Type::block || r.type == Type::definition) {
            line(depth + 1, "\"type\": \"object\",");
            line(depth + 1, "\"additionalProperties\": {");
            if (r.type == Type::block)
                object(r.path(), depth + 2);
            else
                line(depth + 2, "\"type\": [\"string\", \"number\", \"array\"]");
            line(depth + 1, "}");
        } else if (r.cardinality == Cardinality::many) {
            line(depth + 1, "\"type\": \"array\",");
            line(depth + 1, format("\"items\": {{{}}}", form(r)));
        } else {
            line(depth + 1, form(r));
        }
        out_.append(depth * 2, ' ');
        out_ += '}';
    }

    static std::string words(const Row& r) {
        std::string out;
        for (const std::string_view w : r.words) out += (out.empty() ? "" : ", ") + quoted_json(w);
        return out;
    }

    static std::string form(const Row& r) {
        switch (r.type) {
            case Type::flag: return "\"type\": \"boolean\"";
            case Type::word: return format("\"enum\": [{}]", words(r));
            case Type::words:
                return format("\"type\": \"array\", \"items\": {{\"enum\": [{}]}}", words(r));
            case Type::cores:
            case Type::vlans:
                return "\"type\": \"array\", \"items\": {\"type\": [\"integer\", \"string\"]}";
            case Type::number:
                return format(
                    "\"type\": [\"integer\", \"string\"], \"minimum\": {}, "
                    "\"maximum\": {}",
                    r.range.least, r.range.most);
            default: return "\"type\": \"string\"";
        }
    }

    std::string out_;
};

}  // namespace

std::string language_reference() {
    std::string out(kIntroduction);
    section("", out);
    out +=
        "\n## Devices\n\nWhat `device` of a port may say; this version of the switch refuses those "
        "marked *not yet*.\n\n"
        "| device | what |\n|---|---|\n";
    for (const DeviceRow& d : device_rows())
        out += format("| `{}{}{}` | {}{} |\n", d.word, d.arguments.empty() ? "" : " ",
                      escaped(d.arguments), escaped(d.help), d.kind ? "" : "; *not yet*");
    return out;
}

std::string json_schema() {
    return SchemaWriter().run();
}

}  // namespace raicho::dsl
