/* Swift's Synchronization.Mutex takes a free lock by code that is compiled into its user, which the thread sanitizer
 * sees, and one that it must wait for by a system call in the runtime library, which it doesn't. So it reports
 * races between two threads that held the same mutex, one after the other, whenever one had to wait.
 *
 * Here the runtime's two slow functions are put in front of themselves to tell it, under the sanitizer only. They
 * carry Swift's names and calling convention; should a later toolchain name them otherwise, nothing is
 * replaced and the false reports come back. */
#define _GNU_SOURCE
#include "CTestSupport.h"

#if __has_feature(thread_sanitizer)
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void csanitizer_lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK_SLOW);
SWIFT void csanitizer_unlock_slow(SELF mutex) __asm__(UNLOCK_SLOW);

SWIFT void csanitizer_lock_slow(uint32_t thread, SELF mutex) {
  SWIFT void (*next)(uint32_t, SELF) = (SWIFT void (*)(uint32_t, SELF))dlsym(RTLD_NEXT, LOCK_SLOW);
  next(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void csanitizer_unlock_slow(SELF mutex) {
  SWIFT void (*next)(SELF) = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK_SLOW);
  __tsan_release(mutex);
  next(mutex);
}
#endif
