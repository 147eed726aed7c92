// SPDX-License-Identifier: Apache-2.0
// libedit's traps, all seen on 3.1-20221030: a prompt that is not ASCII crashes it in the C locale;
// an escape may not be the last thing of the prompt, and one before several characters is lost when
// some of them are written anew; bound keys fire in pastes and in quotes;
// ^C comes back as EINTR only without SA_RESTART and needs el_reset; without EL_SIGNAL a resize
// garbles the line; its signal handlers take themselves out when they have run, and only its own
// way to read a character puts them back.
#include "shell/terminal.h"

#include <histedit.h>
#include <langinfo.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cwchar>

#include "base/text.h"
#include "dsl/syntax/utf8.h"
#include "shell/history.h"
#include "shell/interrupt.h"
#include "shell/keys.h"

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

/// `text` in bold and the escape that ends it; a blank must follow. libedit keeps an escape with
/// the character behind it and writes any of them anew: each brings its own.
std::string bold_cells(std::string_view text) {
    const std::string mark(1, kEscapeMark);
    std::string out;
    while (!text.empty()) {
        const std::size_t size = dsl::first_character(text).size;
        out += mark + "\033[1m" + mark;
        out += text.substr(0, size);
        text.remove_prefix(size);
    }
    return out + mark + "\033[0m" + mark;
}

/// More input is waiting: the key came out of a paste, not from a finger.
bool pasting() {
    return n_keys_waiting() > 0;
}

}  // namespace

enum class Mode : bool { commands, answer };

struct Terminal::Impl {
    EditHooks hooks;
    Mode mode = Mode::commands;
    std::chrono::steady_clock::time_point next_tick{};
    unsigned n_resizes = 0;  // seen
    unsigned n_stops = 0;
    HistoryFile file{""};
    EditLine* editor = nullptr;
    History* past = nullptr;
    std::string prompt;
    std::vector<std::string> lines;  // typed and loaded, oldest first
    std::size_t prompt_width = 0;
    Colours colours = Colours::off;
    bool drawable = false;  // takes cursor movements

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
    void set_prompt(const Prompt& shown);
    [[nodiscard]] EditResult read();
    /// EL_GETCFN: a character, 0 at the end of input, -1 with errno.
    int get_character(wchar_t& character);
    /// Waits for a byte and ticks meanwhile; false with errno set, EINTR after ^C.
    [[nodiscard]] bool wait_for_byte();
    void tick();
    void after_signal();
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
    static int character_of(EditLine* line_editor, wchar_t* character) {
        return of(line_editor).get_character(*character);
    }
};

namespace {

/// Short words side by side, as a shell lists files.
std::vector<std::string> in_columns(const std::vector<Candidate>& candidates) {
    std::size_t widest = 0;
    for (const Candidate& c : candidates) widest = std::max(widest, text_width(c.text));
    const std::size_t cell = widest + 2;
    const std::size_t per_line = std::max<std::size_t>(1, screen_size().columns / cell);
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
    if (mode == Mode::answer) return insert("\t");
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
    if (mode == Mode::answer || pasting() || in_quotes_or_comment(text)) return insert("?");
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
    const char* terminal = std::getenv("TERM");
    impl->drawable =
        terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
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

void Terminal::Impl::set_prompt(const Prompt& shown) {
    std::string text = prompt_name(shown.name);
    if (!shown.note.empty()) text += format("[{}]", shown.note);
    text += shown.mark;
    prompt = (colours == Colours::on ? bold_cells(text) : text) + " ";
    prompt_width = text_width(text) + 1;
}

void Terminal::Impl::after_signal() {
    if (const unsigned now = n_resized(); now != n_resizes) {
        n_resizes = now;
        ::el_resize(editor);
    }
    if (const unsigned now = n_continued(); now != n_stops) {
        n_stops = now;
        ::el_set(editor, EL_PREP_TERM, 1);
        ::el_set(editor, EL_REFRESH);
    }
}

void Terminal::Impl::tick() {
    const Tick now = hooks.tick();
    if (now.notice.empty() && !now.prompt) return;
    const LineInfo* line = ::el_line(editor);
    const std::string_view text(line->buffer,
                                static_cast<std::size_t>(line->lastchar - line->buffer));
    // A line of several rows cannot be drawn over: it gets its new prompt with the next notice.
    const bool one_row = prompt_width + text_width(text) < screen_size().columns;
    if (now.prompt) set_prompt(*now.prompt);
    if (now.notice.empty() && (!one_row || !drawable)) return;
    std::fputs(drawable ? "\r\033[K" : "\n", stdout);
    if (!now.notice.empty()) std::fprintf(stdout, "%s\n", now.notice.c_str());
    std::fflush(stdout);
    ::el_set(editor, EL_REFRESH);
}

bool Terminal::Impl::wait_for_byte() {
    using std::chrono::milliseconds;
    constexpr std::chrono::seconds kBetweenTicks{1};
    while (true) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= next_tick) {
            next_tick = now + kBetweenTicks;
            tick();
        }
        const auto left = std::chrono::ceil<milliseconds>(next_tick - now);
        pollfd input{STDIN_FILENO, POLLIN, 0};
        const int ready = ::poll(&input, 1, static_cast<int>(left.count()));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
        if (interrupt_requested()) {
            errno = EINTR;
            return false;
        }
        after_signal();
    }
}

int Terminal::Impl::get_character(wchar_t& character) {
    std::mbstate_t state{};
    while (true) {
        if (!wait_for_byte()) return -1;
        char byte = 0;
        const ssize_t size = ::read(STDIN_FILENO, &byte, 1);
        if (size < 0 && errno == EINTR && !interrupt_requested()) continue;
        if (size <= 0) return static_cast<int>(size);
        const std::size_t used = std::mbrtowc(&character, &byte, 1, &state);
        if (used == static_cast<std::size_t>(-1))
            state = {};  // no UTF-8: dropped, as libedit does
        else if (used != static_cast<std::size_t>(-2))
            return 1;
    }
}

EditResult Terminal::Impl::read() {
    n_resizes = n_resized();
    n_stops = n_continued();
    next_tick = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    if (mode == Mode::commands && hooks.tick)
        ::el_set(editor, EL_GETCFN, static_cast<el_rfunc_t>(Impl::character_of));
    else
        ::el_set(editor, EL_GETCFN, static_cast<el_rfunc_t>(EL_BUILTIN_GETCFN));
    std::fflush(stdout);
    int count = 0;
    errno = 0;
    const char* text = ::el_gets(editor, &count);
    if (text == nullptr && count < 0 && errno == EINTR) {
        std::fputs("^C\n", stdout);
        ::el_reset(editor);
        return {EditEvent::interrupted};
    }
    if (text == nullptr) {
        std::fputc('\n', stdout);
        return {EditEvent::end};
    }
    std::string line(text, static_cast<std::size_t>(count));
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    return {EditEvent::line, std::move(line)};
}

EditResult Terminal::read(const Prompt& prompt) {
    impl_->mode = Mode::commands;
    impl_->set_prompt(prompt);
    EditResult result = impl_->read();
    const std::string& line = result.line;
    const bool blank = line.find_first_not_of(" \t") == std::string::npos;
    if (!blank && (impl_->lines.empty() || impl_->lines.back() != line)) {
        impl_->remember(line);
        if (!holds_secret(line)) impl_->file.append(line);
    }
    return result;
}

bool Terminal::ask(const std::string& question) {
    impl_->mode = Mode::answer;
    impl_->prompt = question + " [yes,no] (no) ";
    impl_->prompt_width = text_width(impl_->prompt);
    const EditResult answer = impl_->read();
    const std::string_view text = trim(answer.line);
    return answer.event == EditEvent::line && !text.empty() &&
           std::string_view("yes").starts_with(text);
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
