// SPDX-License-Identifier: Apache-2.0
// Flow entries as they stream in, one JSON object a line: the ancestor's form, aligned columns, or
// JSON. Memory does not grow with their number.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/columns.h"
#include "shell/output.h"
#include "shell/render_json.h"

namespace raicho::shell {

/// Names of ports by bridge and OpenFlow number.
using PortNames = std::map<std::pair<std::string, std::uint64_t>, std::string>;

/// Of the document `ports`.
[[nodiscard]] PortNames port_names(const Json& ports);

/// Takes flow objects in the order of the agent, gives lines to a sink.
class FlowPrinter {
  public:
    virtual ~FlowPrinter() = default;
    virtual Want flow(const Json& flow) = 0;
    /// After the last flow; writes what is still held back.
    virtual void end() = 0;
};

/// The form of Lagopus: `Bridge:`, ` Table id:`, then one line a flow. `bridges` are those asked
/// for, so that one without flows is named too.
[[nodiscard]] std::unique_ptr<FlowPrinter> full_flow_printer(LineSink& out,
                                                             std::vector<std::string> bridges);
/// Aligned columns with ports by name, rate and age. Widths are those of the first rows.
[[nodiscard]] std::unique_ptr<FlowPrinter> brief_flow_printer(LineSink& out, PortNames names,
                                                              Colours colours);
/// The same for flows of any order, each row with its bridge.
[[nodiscard]] std::unique_ptr<FlowPrinter> sorted_flow_printer(LineSink& out, PortNames names,
                                                               Colours colours);
/// Lines that `ovs-ofctl -O OpenFlow13 add-flows` takes.
[[nodiscard]] std::unique_ptr<FlowPrinter> ovs_flow_printer(LineSink& out);
/// A JSON array, one flow a line as it came.
[[nodiscard]] std::unique_ptr<FlowPrinter> json_flow_printer(LineSink& out);

/// Cuts a stream of bytes into lines.
class LineCutter {
  public:
    /// Calls `take` for each whole line (without its end) until it wants no more.
    Want feed(std::string_view piece, const std::function<Want(std::string_view)>& take);
    /// What is left without a line end.
    [[nodiscard]] std::string_view rest() const { return rest_; }

  private:
    std::string rest_;
};

/// `text` with `in_port=1` and `output:2` by name where a port of that number has one.
[[nodiscard]] std::string with_port_names(std::string_view text, const std::string& bridge,
                                          const PortNames& names);
/// `12.3 k/s` of an average over nanoseconds.
[[nodiscard]] std::string rate_text(std::uint64_t count, std::uint64_t ns);

}  // namespace raicho::shell
