#include "CTestSupport.h"

#include <stddef.h>

// The test executable's own malloc comes before the C library's for every library in the process. It counts and
// passes on, so that a test can tell what a call allocates.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#ifdef HAS_SANITIZER

long ctestsupport_allocations(void) { return -1; }

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);

static __thread long count;

long ctestsupport_allocations(void) { return count; }

void *malloc(size_t size) {
    count += 1;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count += 1;
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count += 1;
    return __libc_realloc(pointer, size);
}

#endif
