// SPDX-License-Identifier: Apache-2.0
#include "shell/host.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/handle.h"
#include "base/text.h"
#include "shell/interrupt.h"
#include "shell/render_flow.h"

namespace raicho::shell {

namespace {

/// The program's path by $PATH and where administrators' programs lie.
std::string find_program(std::string_view name) {
    const char* path = std::getenv("PATH");
    std::string folders = path == nullptr ? std::string() : std::string(path) + ":";
    folders += "/usr/bin:/usr/sbin:/bin:/sbin";
    for (const std::string_view folder : split(folders, ':')) {
        std::string file = format("{}/{}", folder, name);
        if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

std::vector<std::string> arguments_of(const Context& context, const char* program) {
    std::vector<std::string> list{program};
    // The line's reader has judged the text already.
    if (const auto stages = read_line(context.text("ARGUMENTS")))
        for (const Word& word : stages->front().words) list.push_back(word.text);
    list.emplace_back("--");
    list.emplace_back(context.text("HOST"));
    return list;
}

/// ^C is the program's while it lives: it prints its statistics, the shell goes on.
class LeaveInterruptToChild {
  public:
    LeaveInterruptToChild() {
        struct sigaction ignore{};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignore, &before_);
    }
    ~LeaveInterruptToChild() { ::sigaction(SIGINT, &before_, nullptr); }
    LeaveInterruptToChild(const LeaveInterruptToChild&) = delete;
    LeaveInterruptToChild& operator=(const LeaveInterruptToChild&) = delete;

  private:
    struct sigaction before_{};
};

/// Starts the program with standard output and error in `write_end`.
Result<pid_t> start(const std::string& file, std::vector<std::string>& words, int write_end) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, write_end, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, write_end, STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t usual;
    ::sigemptyset(&usual);
    for (const int number : {SIGINT, SIGPIPE, SIGCONT}) ::sigaddset(&usual, number);
    ::posix_spawnattr_setsigdefault(&attributes, &usual);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int error =
        ::posix_spawn(&child, file.c_str(), &actions, &attributes, argv.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return fail_errno(format("cannot run {}", file), error);
    return child;
}

/// Lines of the program to the sink until it closes its output or the sink has enough.
Want copy_lines(int from, LineSink& out) {
    LineCutter cutter;
    std::array<char, 4096> piece;
    while (true) {
        const ssize_t size = ::read(from, piece.data(), piece.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        const Want want =
            cutter.feed({piece.data(), static_cast<std::size_t>(size)}, [&](std::string_view line) {
                return out.line(line) == Want::more ? out.flush() : Want::no_more;
            });
        if (want == Want::no_more) return want;
    }
    return cutter.rest().empty() ? Want::more : out.line(cutter.rest());
}

}  // namespace

Done run_host_program(const Context& context, const char* program) {
    const std::string file = find_program(program);
    if (file.empty())
        return std::unexpected(
            Failure{ExitCode::failed, format("this host has no {}", program),
                    format("apt install {}",
                           program == std::string_view("ping") ? "iputils-ping" : program)});
    std::vector<std::string> words = arguments_of(context, program);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::unexpected(Failure{ExitCode::failed, fail_errno("pipe", errno).error().text});
    const Fd read_end(ends[0]);
    Fd write_end(ends[1]);
    const LeaveInterruptToChild leave;
    const auto child = start(file, words, write_end.get());
    if (!child) return std::unexpected(Failure{ExitCode::failed, child.error().text});
    write_end = Fd();
    const bool enough = copy_lines(read_end.get(), context.out()) == Want::no_more;
    if (enough) ::kill(*child, SIGTERM);
    int status = 0;
    while (::waitpid(*child, &status, 0) < 0 && errno == EINTR) continue;
    if (enough) return {};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
        return std::unexpected(Failure{ExitCode::interrupted, "interrupted"});
    if (WIFSIGNALED(status))
        return std::unexpected(Failure{
            ExitCode::failed, format("{} was ended by signal {}", program, WTERMSIG(status))});
    return std::unexpected(
        Failure{ExitCode::failed, format("{} ended with {}", program, WEXITSTATUS(status))});
}

}  // namespace raicho::shell
