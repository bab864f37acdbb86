// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Counts of the calls of a thread that a control cycle must not make.
//
// The program's own malloc, pthread_mutex_lock and write stand before those of the C library. So
// one source file of a program includes this, and no library does.

#ifndef ROBODYN_CONTROL__TOOLS__COUNTED_CALLS_HPP_
#define ROBODYN_CONTROL__TOOLS__COUNTED_CALLS_HPP_

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace counted_calls
{

struct Counts
{
  unsigned long allocations = 0, locks = 0, writes = 0;

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

thread_local Counts counts;  // of this thread since its beginning

template<typename Function>
Function * next(const char * name)
{
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

/// Return whether calls are counted: an allocation and a lock.
inline bool are_counted()
{
  const Counts before = counts;
  void * volatile memory = std::malloc(16);  // volatile, or the compiler leaves both out
  std::free(memory);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  const Counts did = counts - before;
  return did.allocations != 0 && did.locks != 0;
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

int pthread_mutex_lock(pthread_mutex_t * mutex)
{
  static const auto original = counted_calls::next<int(pthread_mutex_t *)>("pthread_mutex_lock");
  ++counted_calls::counts.locks;
  return original ? original(mutex) : 0;
}

ssize_t write(int file, const void * data, std::size_t size)
{
  static const auto original = counted_calls::next<ssize_t(int, const void *, std::size_t)>(
    "write");
  ++counted_calls::counts.writes;
  return original ? original(file, data, size) : -1;
}

}

#endif  // ROBODYN_CONTROL__TOOLS__COUNTED_CALLS_HPP_
