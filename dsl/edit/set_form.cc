// SPDX-License-Identifier: Apache-2.0
// Statements as `set` commands, one a line.
#include "base/text.h"
#include "dsl/edit/forms_read.h"

namespace raicho::dsl {

std::string to_set(const std::vector<Node>& nodes, Level level, const std::string& before) {
    std::string out;
    for (const Node& n : nodes) {
        const Row* r = row_at(level, n.keyword().text);
        if (r == nullptr) continue;
        Node active;
        active.values = n.values;
        const std::string path = before + head_of(active);
        if (r->type == Type::block && !n.nodes.empty())
            out += to_set(n.nodes, r, path + ' ');
        else
            out += "set " + path + '\n';
        if (n.activity == Activity::active) continue;
        const bool by_key = keyed(*r);
        active.values.resize(by_key ? 2 : 1);
        out += "deactivate " + before + head_of(active) + '\n';
    }
    return out;
}

}  // namespace raicho::dsl
