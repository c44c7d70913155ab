// Writes files in the ways that programs do, for the test of faulty_io: with calls, ofstream and fopen.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <span>
#include <string>

namespace {

void say(const char* what, long result) {
  const int code = errno;
  std::cout << what << ' ' << result << ' ' << (result < 0 ? std::strerror(code) : "fine") << std::endl;
}

/// Hundred bytes each with write, pwrite, writev; then all that makes a file final.
void with_calls() {
  std::string text(100, 'c');
  const int file = ::open("calls.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  say("write", ::write(file, text.data(), text.size()));
  say("pwrite", ::pwrite(file, text.data(), text.size(), 100));
  const std::array<iovec, 2> pieces{{{text.data(), 60}, {text.data(), 40}}};
  ::lseek(file, 200, SEEK_SET);
  say("writev", ::writev(file, pieces.data(), 2));
  say("ftruncate", ::ftruncate(file, 250));
  say("fsync", ::fsync(file));
  say("close", ::close(file));
  say("rename", std::rename("calls.tmp", "calls"));
  say("unlink", ::unlink("calls"));
}

/// A name for what no fsync has made durable; then one, and its folder.
void hasty() {
  const int file = ::open("hasty.tmp", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  say("write", ::write(file, "hasty", 5));
  say("rename", std::rename("hasty.tmp", "hasty"));
  say("fsync", ::fsync(file));
  ::close(file);
}

void with_folder() {
  ::mkdir("folder.tmp", 0777);
  const int file = ::open("folder.tmp/file", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  say("write", ::write(file, "file", 4));
  ::close(file);
  say("rename", std::rename("folder.tmp", "folder"));
  const int folder = ::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  say("fsync", ::fsync(folder));
  ::close(folder);
}

void with_ofstream() {
  std::ofstream stream("ofstream");
  stream << std::string(300, 'o') << std::flush;
  say("ofstream", stream.good() ? 300 : -1);
}

void with_fopen() {
  FILE* file = std::fopen("fopen", "w");
  const std::string text(300, 'f');
  std::fwrite(text.data(), 1, text.size(), file);
  say("fwrite", std::fflush(file));
  say("fsync", ::fsync(::fileno(file)));
  say("fclose", std::fclose(file));
}

void identity() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size());
  utsname system{};
  ::uname(&system);
  std::cout << name.data() << ' ' << system.nodename << ' ' << ::getpid() << std::endl;
  const int file = ::open("lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  say("flock", ::flock(file, LOCK_EX | LOCK_NB));
  ::close(file);
}

}  // namespace

int main(int count, char** words) {
  for (const std::string word : std::span(words, static_cast<std::size_t>(count)).subspan(1)) {
    if (word == "calls") with_calls();
    if (word == "hasty") hasty();
    if (word == "folder") with_folder();
    if (word == "ofstream") with_ofstream();
    if (word == "fopen") with_fopen();
    if (word == "identity") identity();
  }
}
