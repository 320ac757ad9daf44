// A getaddrinfo to preload, for tests of a name lookup that never ends.
//
//   SLOW_LOOKUP_HOST       this host's lookup sleeps first, then answers 127.0.0.1
//   SLOW_LOOKUP_MS         for so many milliseconds
//   SLOW_LOOKUP_FAST_HOST  this host's lookup answers 127.0.0.1 at once
//
// Every other name goes to the real one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

static int is(const char *host, const char *variable) {
    const char *name = getenv(variable);
    return host != NULL && name != NULL && strcmp(host, name) == 0;
}

int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    lookup real = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
    if (real == NULL) {
        return EAI_SYSTEM;
    }
    if (is(host, "SLOW_LOOKUP_HOST")) {
        const char *text = getenv("SLOW_LOOKUP_MS");
        long milliseconds = text != NULL ? strtol(text, NULL, 10) : 0;
        struct timespec rest = {milliseconds / 1000, milliseconds % 1000 * 1000000};
        while (nanosleep(&rest, &rest) == -1 && errno == EINTR) {
        }
        return real("127.0.0.1", service, hints, found);
    }
    if (is(host, "SLOW_LOOKUP_FAST_HOST")) {
        return real("127.0.0.1", service, hints, found);
    }
    return real(host, service, hints, found);
}
