// Swift's Mutex takes its lock by an atomic operation, which the thread sanitizer sees, or, where another thread
// holds it, from the kernel (a priority-inheriting futex), which it doesn't: it then reports races between threads
// that hold one mutex after the other. Under the sanitizer the test executable's own syscall(2) comes before the
// C library's, and tells it of these handovers; no other synchronisation is claimed.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

static long raw_syscall(long number, const long *a) {
    register long r10 __asm__("r10") = a[3];
    register long r8 __asm__("r8") = a[4];
    register long r9 __asm__("r9") = a[5];
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

long syscall(long number, ...) {
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);

    long command = number == SYS_futex ? ((int)a[1] & FUTEX_CMD_MASK) : -1;
    if (command == FUTEX_UNLOCK_PI) __tsan_release((void *)a[0]);
    long result = raw_syscall(number, a);
    if (result == 0 && (command == FUTEX_LOCK_PI || command == FUTEX_TRYLOCK_PI)) __tsan_acquire((void *)a[0]);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

#endif
#endif
