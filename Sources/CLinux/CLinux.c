/* Some of what CLinux.h declares needs this; the header itself must not define it, or its view of the C
 * library's types would differ from Glibc's module. */
#define _GNU_SOURCE 1
#include "CLinux.h"
#include <linux/filter.h>
#include <time.h>

static _Thread_local void *thread_pointer;

void *clinux_thread_pointer(void) { return thread_pointer; }
void clinux_set_thread_pointer(void *pointer) { thread_pointer = pointer; }

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int clinux_drop_new_connections(int listener) {
  /* Byte 13 of a TCP header holds the flags; the bit of SYN is 2. */
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xffffffff),
  };
  struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
  return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int64_t clinux_unix_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
