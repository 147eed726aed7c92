// SPDX-License-Identifier: Apache-2.0
// libedit's traps, all seen on 3.1-20221030: a prompt that is not ASCII crashes it in the C locale;
// an escape may not be the last thing of the prompt; bound keys fire in pastes and in quotes;
// ^C comes back as EINTR only without SA_RESTART and needs el_reset; without EL_SIGNAL a resize
// garbles the line.
#include "shell/terminal.h"

#include <histedit.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "dsl/syntax/utf8.h"
#include "shell/history.h"

namespace raicho::shell {

namespace {

constexpr char kEscapeMark = '\1';      // around escapes in the prompt, for EL_PROMPT_ESC
constexpr std::size_t kMaxShown = 100;  // candidates

bool utf8_locale() {
    return std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
}

/// `name` without what could upset the terminal: control characters, and in a locale without
/// UTF-8 everything beyond ASCII.
std::string prompt_name(std::string_view name) {
    std::string out;
    while (!name.empty()) {
        const dsl::Character c = dsl::first_character(name);
        const bool shown =
            c.valid && c.code >= 0x20 && c.code != 0x7f &&
            (c.code < 0x80 || (utf8_locale() && dsl::display_width(c.code) > 0 && c.code >= 0xa0));
        out += shown ? name.substr(0, c.size) : std::string_view("?");
        name.remove_prefix(c.size);
    }
    return out.empty() ? "lagosh" : out;
}

/// More input is waiting: the key came out of a paste, not from a finger.
bool pasting() {
    int waiting = 0;
    return ::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

std::size_t screen_columns() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

struct Terminal::Impl {
    EditHooks hooks;
    HistoryFile file{""};
    EditLine* editor = nullptr;
    History* past = nullptr;
    std::string prompt;
    std::vector<std::string> lines;  // typed and loaded, oldest first
    Colours colours = Colours::off;

    Impl() = default;
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (editor != nullptr) ::el_end(editor);
        if (past != nullptr) ::history_end(past);
    }

    void remember(const std::string& line) {
        HistEvent event{};
        ::history(past, &event, H_ENTER, line.c_str());
        lines.push_back(line);
    }
    [[nodiscard]] std::string before_cursor() const {
        const LineInfo* info = ::el_line(editor);
        return {info->buffer, static_cast<std::size_t>(info->cursor - info->buffer)};
    }
    unsigned char insert(const std::string& text) {
        return ::el_insertstr(editor, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    unsigned char on_tab();
    unsigned char on_question();
    static void show_below(const std::vector<std::string>& shown);

    // What libedit calls back.
    static Impl& of(EditLine* line_editor) {
        void* data = nullptr;
        ::el_get(line_editor, EL_CLIENTDATA, &data);
        return *static_cast<Impl*>(data);
    }
    static char* prompt_of(EditLine* line_editor) { return of(line_editor).prompt.data(); }
    static unsigned char tab_key(EditLine* line_editor, int) { return of(line_editor).on_tab(); }
    static unsigned char question_key(EditLine* line_editor, int) {
        return of(line_editor).on_question();
    }
};

namespace {

/// Short words side by side, as a shell lists files.
std::vector<std::string> in_columns(const std::vector<Candidate>& candidates) {
    std::size_t widest = 0;
    for (const Candidate& c : candidates) widest = std::max(widest, text_width(c.text));
    const std::size_t cell = widest + 2;
    const std::size_t per_line = std::max<std::size_t>(1, screen_columns() / cell);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < candidates.size() && i < kMaxShown; ++i) {
        if (i % per_line == 0)
            lines.emplace_back();
        else
            lines.back() += std::string(cell - text_width(candidates[i - 1].text), ' ');
        lines.back() += candidates[i].text;
    }
    if (candidates.size() > kMaxShown)
        lines.push_back(format("and {} more", candidates.size() - kMaxShown));
    return lines;
}

}  // namespace

void Terminal::Impl::show_below(const std::vector<std::string>& shown) {
    std::fputc('\n', stdout);
    for (const std::string& line : shown) std::fprintf(stdout, "%s\n", line.c_str());
    std::fflush(stdout);
}

unsigned char Terminal::Impl::on_tab() {
    if (pasting()) return insert(" ");
    const std::string text = before_cursor();
    const Completion found = hooks.complete(text);
    if (!found.replacement.empty()) {
        ::el_deletestr(editor,
                       static_cast<int>(::mbstowcs(nullptr, text.c_str() + found.begin, 0)));
        return insert(found.replacement);
    }
    if (found.candidates.size() < 2) return CC_REFRESH_BEEP;
    show_below(in_columns(found.candidates));
    return CC_REDISPLAY;
}

unsigned char Terminal::Impl::on_question() {
    const std::string text = before_cursor();
    if (pasting() || in_quotes_or_comment(text)) return insert("?");
    show_below(hooks.help(text));
    return CC_REDISPLAY;
}

Terminal::Terminal(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Terminal::~Terminal() = default;

Result<std::unique_ptr<Terminal>> Terminal::open(EditHooks hooks, std::string history_file,
                                                 Colours colours) {
    auto impl = std::make_unique<Impl>();
    impl->hooks = std::move(hooks);
    impl->file = HistoryFile(std::move(history_file));
    impl->colours = colours;
    impl->editor = ::el_init("lagosh", stdin, stdout, stderr);
    impl->past = ::history_init();
    if (impl->editor == nullptr || impl->past == nullptr)
        return fail("cannot start the line editor");
    HistEvent event{};
    ::history(impl->past, &event, H_SETSIZE, static_cast<int>(HistoryFile::kMaxLines));
    ::history(impl->past, &event, H_SETUNIQUE, 1);
    for (const std::string& line : impl->file.load()) impl->remember(line);

    EditLine* editor = impl->editor;
    ::el_set(editor, EL_CLIENTDATA, impl.get());
    ::el_set(editor, EL_PROMPT_ESC, Impl::prompt_of, kEscapeMark);
    ::el_set(editor, EL_EDITOR, "emacs");
    ::el_set(editor, EL_SIGNAL, 1);
    ::el_set(editor, EL_HIST, ::history, impl->past);
    ::el_set(editor, EL_ADDFN, "lagosh-complete", "Complete the word", Impl::tab_key);
    ::el_set(editor, EL_ADDFN, "lagosh-help", "List what may follow", Impl::question_key);
    ::el_set(editor, EL_BIND, "^I", "lagosh-complete", nullptr);
    ::el_set(editor, EL_BIND, "?", "lagosh-help", nullptr);
    ::el_source(editor, nullptr);  // the user's .editrc wins over our keys
    return std::unique_ptr<Terminal>(new Terminal(std::move(impl)));
}

EditResult Terminal::read(std::string_view name) {
    const std::string shown = prompt_name(name) + ">";
    const std::string mark(1, kEscapeMark);
    impl_->prompt = impl_->colours == Colours::on
                        ? mark + "\033[1m" + mark + shown + mark + "\033[0m" + mark + " "
                        : shown + " ";
    std::fflush(stdout);
    int count = 0;
    errno = 0;
    const char* text = ::el_gets(impl_->editor, &count);
    if (text == nullptr && count < 0 && errno == EINTR) {
        std::fputs("^C\n", stdout);
        ::el_reset(impl_->editor);
        return {EditEvent::interrupted};
    }
    if (text == nullptr) {
        std::fputc('\n', stdout);
        return {EditEvent::end};
    }
    std::string line(text, static_cast<std::size_t>(count));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    if (!blank && (impl_->lines.empty() || impl_->lines.back() != line)) {
        impl_->remember(line);
        impl_->file.append(line);
    }
    return {EditEvent::line, std::move(line)};
}

std::vector<std::string> Terminal::history(std::size_t limit) const {
    const std::size_t n = std::min(limit, impl_->lines.size());
    return {impl_->lines.end() - static_cast<std::ptrdiff_t>(n), impl_->lines.end()};
}

void choose_locale() {
    if (std::setlocale(LC_ALL, "") == nullptr || !utf8_locale())
        std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace raicho::shell
