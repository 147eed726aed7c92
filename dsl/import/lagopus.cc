// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "dsl/import/import.h"
#include "dsl/import/lagopus_world.h"
#include "dsl/import/lagopus_write.h"

namespace raicho::dsl {

Imported import_lagopus(std::span<const ForeignText> files, const ImportOptions& options) {
    ImportReport report;
    LagopusInterpreter interpreter(options, report);
    for (const ForeignText& file : files) interpreter.run(file);
    interpreter.end();
    Outline outline;
    write_lagopus(interpreter.world(), options, outline, report);
    std::string text = print_sound(outline, options.flows, report);
    return {std::move(text), report.take_in_order()};
}

}  // namespace raicho::dsl
