// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Count the calls of a thread that a control cycle must not make.
//
// This file defines malloc, pthread_mutex_lock, write and others in place of the C library. So one
// source file of a program includes it, and no library does. The streams of the C library do not
// call write, so their functions are counted separately.

#ifndef ROBODYN_CONTROL__TOOLS__COUNTED_CALLS_HPP_
#define ROBODYN_CONTROL__TOOLS__COUNTED_CALLS_HPP_

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace counted_calls
{

struct Counts
{
  unsigned long allocations = 0;
  unsigned long locks = 0;  ///< of mutexes, and calls that wake waiting threads
  unsigned long writes = 0;

  unsigned long all() const {return allocations + locks + writes;}

  Counts & operator+=(const Counts & other)
  {
    allocations += other.allocations;
    locks += other.locks;
    writes += other.writes;
    return *this;
  }

  Counts operator-(const Counts & other) const
  {
    return {allocations - other.allocations, locks - other.locks, writes - other.writes};
  }
};

thread_local Counts counts;  // of this thread since its start

template<typename Function>
Function * next(const char * name)
{
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// Print by a list of arguments.
inline int print_by_list(std::FILE * file, const char * format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int size = std::vfprintf(file, format, arguments);
  va_end(arguments);
  return size;
}

/// Wake threads by a function of the C library, whose first version has another condition.
inline int wake(const char * name, pthread_cond_t * condition)
{
  using Wake = int (pthread_cond_t *);
  void * const found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  const auto original = found ? reinterpret_cast<Wake *>(found) : next<Wake>(name);
  ++counts.locks;
  return original ? original(condition) : 0;
}

/// Return whether a call increases one of the counts.
template<typename Call>
bool counts_a_call(unsigned long Counts::* kind, Call call)
{
  const unsigned long before = counts.*kind;
  call();
  return counts.*kind != before;
}

/// Return whether each kind of call is counted.
inline bool are_counted()
{
  // volatile, since the compiler may remove or replace calls without effect
  void * volatile memory = nullptr;
  const char * volatile text = "x";
  volatile std::size_t one = 1;
  bool all = true;
  const auto allocates = [&](auto allocate) {
      all = counts_a_call(&Counts::allocations, [&] {memory = allocate();}) && all;
      std::free(memory);
    };
  allocates([&] {return std::malloc(16 * one);});
  allocates([&] {return std::calloc(one, 16);});
  allocates([&] {return std::realloc(nullptr, 16 * one);});
  allocates([&] {return std::aligned_alloc(64, 64 * one);});
  allocates([&] {return memalign(64, 64 * one);});
  allocates(
    [&] {
      void * found = nullptr;
      return posix_memalign(&found, 64, 64 * one) == 0 ? found : nullptr;
    });
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  all = counts_a_call(
    &Counts::locks, [&] {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    }) && all;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  all = counts_a_call(&Counts::locks, [&] {pthread_cond_signal(&condition);}) && all;
  all = counts_a_call(&Counts::locks, [&] {pthread_cond_broadcast(&condition);}) && all;
  std::FILE * const file = std::fopen("/dev/null", "w");
  if (!file) {
    return false;
  }
  const auto writes = [&](auto write_some) {
      all = counts_a_call(
        &Counts::writes, [&] {
          const auto size = write_some();
          one = size < 0 ? 0 : 1;  // the result is used
        }) && all;
    };
  writes([&] {return static_cast<long>(::write(fileno(file), text, one));});
  writes(
    [&] {
      const char * const data = text;
      iovec part{const_cast<char *>(data), one};
      return static_cast<long>(writev(fileno(file), &part, 1));
    });
  writes([&] {return static_cast<long>(std::fwrite(text, one, one, file));});
  writes([&] {return static_cast<long>(std::fputs(text, file));});
  writes([&] {return static_cast<long>(std::fprintf(file, "%zu", std::size_t{one}));});
  writes([&] {return static_cast<long>(print_by_list(file, "%zu", std::size_t{one}));});
  writes(
    [&] {
      const int heard = setlogmask(LOG_MASK(LOG_EMERG));  // suppresses the message
      syslog(LOG_DEBUG, "%zu", std::size_t{one});
      setlogmask(heard);
      return 0L;
    });
  std::fclose(file);
  return all;
}

}  // namespace counted_calls

extern "C" {

void * __libc_malloc(std::size_t);
void * __libc_calloc(std::size_t, std::size_t);
void * __libc_realloc(void *, std::size_t);
void * __libc_memalign(std::size_t, std::size_t);

void * malloc(std::size_t size)
{
  ++counted_calls::counts.allocations;
  return __libc_malloc(size);
}

void * calloc(std::size_t count, std::size_t size)
{
  ++counted_calls::counts.allocations;
  return __libc_calloc(count, size);
}

void * realloc(void * old, std::size_t size)
{
  ++counted_calls::counts.allocations;
  return __libc_realloc(old, size);
}

void * aligned_alloc(std::size_t alignment, std::size_t size)
{
  ++counted_calls::counts.allocations;
  return __libc_memalign(alignment, size);
}

void * memalign(std::size_t alignment, std::size_t size)
{
  ++counted_calls::counts.allocations;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void ** memory, std::size_t alignment, std::size_t size)
{
  ++counted_calls::counts.allocations;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

int pthread_mutex_lock(pthread_mutex_t * mutex)
{
  static const auto original = counted_calls::next<int(pthread_mutex_t *)>("pthread_mutex_lock");
  ++counted_calls::counts.locks;
  return original ? original(mutex) : 0;
}

int pthread_cond_signal(pthread_cond_t * condition)
{
  return counted_calls::wake("pthread_cond_signal", condition);
}

int pthread_cond_broadcast(pthread_cond_t * condition)
{
  return counted_calls::wake("pthread_cond_broadcast", condition);
}

ssize_t write(int file, const void * data, std::size_t size)
{
  static const auto original = counted_calls::next<ssize_t(int, const void *, std::size_t)>(
    "write");
  ++counted_calls::counts.writes;
  return original ? original(file, data, size) : -1;
}

ssize_t writev(int file, const iovec * parts, int count)
{
  static const auto original = counted_calls::next<ssize_t(int, const iovec *, int)>("writev");
  ++counted_calls::counts.writes;
  return original ? original(file, parts, count) : -1;
}

std::size_t fwrite(const void * data, std::size_t size, std::size_t count, std::FILE * file)
{
  static const auto original =
    counted_calls::next<std::size_t(const void *, std::size_t, std::size_t, std::FILE *)>(
    "fwrite");
  ++counted_calls::counts.writes;
  return original ? original(data, size, count, file) : 0;
}

int fputs(const char * text, std::FILE * file)
{
  static const auto original = counted_calls::next<int(const char *, std::FILE *)>("fputs");
  ++counted_calls::counts.writes;
  return original ? original(text, file) : EOF;
}

int vfprintf(std::FILE * file, const char * format, std::va_list arguments)
{
  static const auto original =
    counted_calls::next<int(std::FILE *, const char *, std::va_list)>("vfprintf");
  ++counted_calls::counts.writes;
  return original ? original(file, format, arguments) : -1;
}

int fprintf(std::FILE * file, const char * format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int size = vfprintf(file, format, arguments);
  va_end(arguments);
  return size;
}

void syslog(int priority, const char * format, ...)
{
  static const auto original =
    counted_calls::next<void(int, const char *, std::va_list)>("vsyslog");
  ++counted_calls::counts.writes;
  std::va_list arguments;
  va_start(arguments, format);
  if (original) {
    original(priority, format, arguments);
  }
  va_end(arguments);
}

// Variants that libraries call if compiled with _FORTIFY_SOURCE, as those of distributions.

int __vfprintf_chk(std::FILE * file, int, const char * format, std::va_list arguments)
{
  return vfprintf(file, format, arguments);
}

int __fprintf_chk(std::FILE * file, int, const char * format, ...)
{
  std::va_list arguments;
  va_start(arguments, format);
  const int size = vfprintf(file, format, arguments);
  va_end(arguments);
  return size;
}

}

#endif  // ROBODYN_CONTROL__TOOLS__COUNTED_CALLS_HPP_
