/* Copyright 2026 robodyn_ros maintainers
   SPDX-License-Identifier: Apache-2.0

   Memory for arrays of NumPy between pages without access. NumPy calls these with the GIL held.

   Each piece begins with a page for the header. The pages of the array follow, between two pages
   without access. The array begins or ends at one of these. A freed piece has no access either,
   until FREED others were freed. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, FREED = 4000, MOST = 12000 }; /* the system allows 65530 ranges of pages */

struct header {
    size_t whole, size;
    int fenced;
};

static int at_the_end = 1;
static size_t count_of_fenced, count_of_unfenced, alive, oldest;
static struct {
    char *memory;
    size_t whole;
} freed[FREED];

static struct header *header_of(void *array)
{
    return (struct header *)(((uintptr_t)array & ~(uintptr_t)(PAGE - 1)) - 2 * PAGE);
}

static void *pages(size_t whole)
{
    return mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void forget_freed(void)
{
    for (size_t k = 0; k < FREED; k++) {
        if (freed[k].memory) munmap(freed[k].memory, freed[k].whole);
        freed[k].memory = NULL;
    }
}

static void *allocate(void *context, size_t size)
{
    size_t room = size ? (size + PAGE - 1) / PAGE * PAGE : PAGE, whole = room + 3 * PAGE;
    char *memory = pages(whole), *array;
    struct header *header;
    (void)context;
    if (memory == MAP_FAILED) { /* too many ranges of pages */
        forget_freed();
        memory = pages(whole);
    }
    if (memory == MAP_FAILED) return NULL;
    array = memory + 2 * PAGE;
    header = (struct header *)memory;
    header->whole = whole;
    header->size = size;
    header->fenced = alive < MOST;
    if (header->fenced) {
        mprotect(memory + PAGE, PAGE, PROT_NONE);
        mprotect(array + room, PAGE, PROT_NONE);
        alive++;
        count_of_fenced++;
    } else {
        count_of_unfenced++;
    }
    if (at_the_end) array += size ? room - size : room - 1;
    memset(array, 0xff, size); /* not a number */
    return array;
}

static void *allocate_zeros(void *context, size_t count, size_t size)
{
    void *array = allocate(context, count * size);
    return array ? memset(array, 0, count * size) : NULL;
}

static void release(void *context, void *array, size_t size)
{
    struct header *header;
    char *memory;
    size_t whole;
    (void)context;
    (void)size;
    if (!array) return;
    header = header_of(array);
    memory = (char *)header;
    whole = header->whole;
    if (!header->fenced) {
        munmap(memory, whole);
        return;
    }
    alive--;
    mmap(memory, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (freed[oldest].memory) munmap(freed[oldest].memory, freed[oldest].whole);
    freed[oldest].memory = memory;
    freed[oldest].whole = whole;
    oldest = (oldest + 1) % FREED;
}

static void *change_size(void *context, void *array, size_t size)
{
    void *changed = allocate(context, size);
    if (changed && array) {
        size_t before = header_of(array)->size;
        memcpy(changed, array, before < size ? before : size);
        release(context, array, before);
    }
    return changed;
}

/* PyDataMem_Handler */
static struct {
    char name[127];
    uint8_t version;
    struct {
        void *context;
        void *(*allocate)(void *, size_t);
        void *(*allocate_zeros)(void *, size_t, size_t);
        void *(*change_size)(void *, void *, size_t);
        void (*release)(void *, void *, size_t);
    } functions;
} handler = {"fence", 1, {NULL, allocate, allocate_zeros, change_size, release}};

void *fence_handler(int end)
{
    at_the_end = end;
    return &handler;
}

size_t fence_count(int fenced) { return fenced ? count_of_fenced : count_of_unfenced; }
