/* What Swift's Glibc module leaves out of Linux: epoll, eventfd, signalfd,
 * accept4 and peers, as typed functions. Nothing here knows the program. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <unistd.h>

/* fcntl(2) and open(2) are variadic. */
static inline int clinux_fcntl_get(int fd, int command) { return fcntl(fd, command); }
static inline int clinux_fcntl_set(int fd, int command, int value) { return fcntl(fd, command, value); }
static inline int clinux_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

/* accept4(2), non-blocking and closed on exec. */
int clinux_accept(int listener);

/* Drops what asks a listening TCP socket for a new connection from now on. What has
 * begun can finish, and what waits can be accepted. */
int clinux_drop_new_connections(int listener);

static inline int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
static inline int clinux_signalfd(const sigset_t *signals) {
  return signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* epoll_ctl(2) with the user data as one 64-bit number; epoll_event is a packed
 * struct with a union, which is easier filled here. */
static inline int clinux_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return epoll_ctl(epoll, operation, fd, &event);
}
static inline uint64_t clinux_epoll_data(const struct epoll_event *event) { return event->data.u64; }

/* The bits as plain numbers: as an enum with negative members (EPOLLET) they
 * import with a type that doesn't mix with events. */
static const uint32_t clinux_epollin = EPOLLIN;
static const uint32_t clinux_epollout = EPOLLOUT;
static const uint32_t clinux_epollerr = EPOLLERR;
static const uint32_t clinux_epollhup = EPOLLHUP;
static const uint32_t clinux_epollrdhup = EPOLLRDHUP;
static const uint32_t clinux_epollexclusive = EPOLLEXCLUSIVE;

static inline int clinux_raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  }
  return limit.rlim_cur > INT32_MAX ? INT32_MAX : (int)limit.rlim_cur;
}

/* Nanoseconds since 1970, UTC (CLOCK_REALTIME). */
int64_t clinux_unix_nanoseconds(void);

/* Names the calling thread, of at most 15 bytes (pthread_setname_np). */
void clinux_name_thread(const char *name);

/* One pointer for each thread: the event loop that runs on it. */
void *clinux_thread_pointer(void);
void clinux_set_thread_pointer(void *pointer);
