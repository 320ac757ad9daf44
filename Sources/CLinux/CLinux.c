/* Some of what CLinux.h declares needs this; the header itself must not define it, or its view of the C
 * library's types would differ from Glibc's module. */
#define _GNU_SOURCE 1
#include "CLinux.h"
#include <time.h>

static _Thread_local void *thread_pointer;

void *clinux_thread_pointer(void) { return thread_pointer; }
void clinux_set_thread_pointer(void *pointer) { thread_pointer = pointer; }

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int64_t clinux_unix_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
