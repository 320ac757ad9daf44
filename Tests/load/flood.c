// Asks many times at once, over HTTP or straight over FastCGI, and says how long the answers took.
//
//   flood -p fcgi|http -a unix:PATH|HOST:PORT -q TARGET -c CONNECTIONS (-n REQUESTS | -d SECONDS)
//         [-f FIRST] [-R RANGE] [-r RAMP_MILLISECONDS]
//
// Each connection has one request in flight, and asks again on the same connection when it is answered. All
// connections are made before the first request is sent; with -r the first requests are spread over that time.
// In TARGET, {n} becomes a number of six digits, {point} "latitude=…&longitude=…" and {places} a hundred
// "place=LATITUDE,LONGITUDE"; they count up from FIRST, or are drawn at random from 0…RANGE-1.
// Prints one line of names and values; times are in milliseconds.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, REQUEST = 16384, PATIENCE = 30 };

struct connection {
    int fd;
    int is_busy;
    double sent_at;
    double not_before;
    // What has come of the answer being read.
    size_t seen;         // bytes
    char head[2048];     // its first bytes
    size_t head_length;
    long body_left;      // HTTP; -1 until the head is whole
    // FastCGI
    unsigned char record[8];
    size_t record_length;
    size_t content_left;
    unsigned char kind;
    int status;
    // What of the request waits to be sent.
    char *unsent;
    size_t unsent_length;
};

static int is_fastcgi;
static const char *target_template = "/";
static unsigned long next_number, random_range, random_state = 88172645463325252ul;
static double started;
static uint32_t *latencies;
static size_t latency_count, latency_space;
static unsigned long answered, bad, cut, first_bad_status;
static double first_answer, last_answer;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void die(const char *what) {
    fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
    exit(1);
}

static unsigned long pick(void) {
    if (!random_range) return next_number++;
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % random_range;
}

static int put_point(char *out, size_t space, unsigned long n, const char *shape) {
    unsigned long north = n / 1000 % 1000, east = n % 1000;
    return snprintf(out, space, shape, 40 + north / 100, north % 100, 10 + east / 100, east % 100);
}

// The target with its next number; returns its length.
static size_t fill_target(char *out, size_t space) {
    size_t length = 0;
    for (const char *at = target_template; *at && length + 64 < space;) {
        if (!strncmp(at, "{n}", 3)) {
            length += (size_t)snprintf(out + length, space - length, "%06lu", pick());
            at += 3;
        } else if (!strncmp(at, "{point}", 7)) {
            length += (size_t)put_point(
                out + length, space - length, pick(), "latitude=%lu.%02lu&longitude=%lu.%02lu");
            at += 7;
        } else if (!strncmp(at, "{places}", 8)) {
            for (int i = 0; i < 100; i++) {
                if (i) out[length++] = '&';
                length += (size_t)put_point(
                    out + length, space - length, pick(), "place=%lu.%02lu,%lu.%02lu");
            }
            at += 8;
        } else {
            out[length++] = *at++;
        }
    }
    out[length] = 0;
    return length;
}

static size_t put_length(char *out, size_t length) {
    if (length < 128) {
        out[0] = (char)length;
        return 1;
    }
    out[0] = (char)(0x80 | length >> 24);
    out[1] = (char)(length >> 16);
    out[2] = (char)(length >> 8);
    out[3] = (char)length;
    return 4;
}

static size_t put_pair(char *out, const char *name, const char *value) {
    size_t name_length = strlen(name), value_length = strlen(value), at = put_length(out, name_length);
    at += put_length(out + at, value_length);
    memcpy(out + at, name, name_length);
    memcpy(out + at + name_length, value, value_length);
    return at + name_length + value_length;
}

static size_t put_record(char *out, int kind, size_t length) {
    char record[8] = {1, (char)kind, 0, 1, (char)(length >> 8), (char)length, 0, 0};
    memcpy(out, record, 8);
    return 8;
}

static size_t build(char *out) {
    char target[REQUEST / 2];
    size_t length = fill_target(target, sizeof target);
    if (!is_fastcgi) {
        return (size_t)snprintf(
            out, REQUEST, "GET %s HTTP/1.1\r\nHost: localhost\r\nUser-Agent: flood\r\n\r\n", target);
    }
    char *question = memchr(target, '?', length);
    if (question) *question = 0;
    size_t at = put_record(out, 1, 8);
    memcpy(out + at, "\0\1\1\0\0\0\0\0", 8);  // responder, keep the connection
    at += 8;
    char *parameters = out + at + 8;
    size_t size = 0;
    size += put_pair(parameters + size, "GATEWAY_INTERFACE", "CGI/1.1");
    size += put_pair(parameters + size, "SERVER_SOFTWARE", "nginx");
    size += put_pair(parameters + size, "SERVER_PROTOCOL", "HTTP/1.1");
    size += put_pair(parameters + size, "SERVER_NAME", "localhost");
    size += put_pair(parameters + size, "SERVER_PORT", "80");
    size += put_pair(parameters + size, "REMOTE_ADDR", "127.0.0.1");
    size += put_pair(parameters + size, "REQUEST_SCHEME", "http");
    size += put_pair(parameters + size, "REQUEST_METHOD", "GET");
    size += put_pair(parameters + size, "SCRIPT_NAME", target);
    size += put_pair(parameters + size, "DOCUMENT_URI", target);
    size += put_pair(parameters + size, "QUERY_STRING", question ? question + 1 : "");
    size += put_pair(parameters + size, "CONTENT_TYPE", "");
    size += put_pair(parameters + size, "CONTENT_LENGTH", "");
    size += put_pair(parameters + size, "HTTP_HOST", "localhost");
    at += put_record(out + at, 4, size) + size;
    at += put_record(out + at, 4, 0);
    at += put_record(out + at, 5, 0);
    return at;
}

static int connect_to(const char *address) {
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in remote = {.sin_family = AF_INET};
    int fd;
    int is_local = !strncmp(address, "unix:", 5);
    if (is_local) {
        strncpy(local.sun_path, address + 5, sizeof local.sun_path - 1);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
    } else {
        const char *colon = strrchr(address, ':');
        remote.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        remote.sin_port = htons((uint16_t)atoi(colon ? colon + 1 : address));
        fd = socket(AF_INET, SOCK_STREAM, 0);
    }
    if (fd < 0) return -1;
    struct timeval limit = {.tv_sec = 10};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    int failed = is_local ? connect(fd, (struct sockaddr *)&local, sizeof local)
                          : connect(fd, (struct sockaddr *)&remote, sizeof remote);
    if (failed) {
        close(fd);
        return -1;
    }
    int yes = 1;
    if (!is_local) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

static void watch(int epoll, struct connection *connection, int for_writing, int operation) {
    struct epoll_event event = {.events = EPOLLIN | (for_writing ? EPOLLOUT : 0u), .data.ptr = connection};
    epoll_ctl(epoll, operation, connection->fd, &event);
}

static void give_up(struct connection *connection) {
    if (connection->is_busy) {
        cut++;
        bad++;
    }
    connection->is_busy = 0;
    close(connection->fd);
    connection->fd = -1;
    free(connection->unsent);
    connection->unsent = NULL;
}

static void ask(int epoll, struct connection *connection) {
    char request[REQUEST + 1024];
    size_t length = build(request);
    connection->seen = connection->head_length = connection->record_length = connection->content_left = 0;
    connection->body_left = -1;
    connection->status = 0;
    connection->kind = 0;
    connection->is_busy = 1;
    connection->sent_at = now();
    ssize_t sent = send(connection->fd, request, length, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) {
        give_up(connection);
        return;
    }
    if (sent < 0) sent = 0;
    if ((size_t)sent < length) {
        connection->unsent_length = length - (size_t)sent;
        connection->unsent = malloc(connection->unsent_length);
        if (!connection->unsent) die("memory");
        memcpy(connection->unsent, request + sent, connection->unsent_length);
        watch(epoll, connection, 1, EPOLL_CTL_MOD);
    }
}

static void send_rest(int epoll, struct connection *connection) {
    ssize_t sent = send(connection->fd, connection->unsent, connection->unsent_length, MSG_NOSIGNAL);
    if (sent < 0) {
        if (errno != EAGAIN) give_up(connection);
        return;
    }
    connection->unsent_length -= (size_t)sent;
    memmove(connection->unsent, connection->unsent + sent, connection->unsent_length);
    if (!connection->unsent_length) {
        free(connection->unsent);
        connection->unsent = NULL;
        watch(epoll, connection, 0, EPOLL_CTL_MOD);
    }
}

static void keep_head(struct connection *connection, const char *bytes, size_t length) {
    size_t space = sizeof connection->head - 1 - connection->head_length;
    if (length > space) length = space;
    memcpy(connection->head + connection->head_length, bytes, length);
    connection->head_length += length;
    connection->head[connection->head_length] = 0;
}

// Whether the answer is whole; -1: it can't be read.
static int take_fastcgi(struct connection *connection, const char *bytes, size_t length) {
    while (length) {
        if (connection->content_left) {
            size_t part = length < connection->content_left ? length : connection->content_left;
            if (connection->kind == 6) keep_head(connection, bytes, part);
            connection->content_left -= part;
            bytes += part;
            length -= part;
            if (!connection->content_left && connection->kind == 3) goto whole;
            continue;
        }
        connection->record[connection->record_length++] = (unsigned char)*bytes++;
        length--;
        if (connection->record_length < 8) continue;
        connection->record_length = 0;
        connection->kind = connection->record[1];
        connection->content_left =
            (size_t)(connection->record[4] << 8 | connection->record[5]) + connection->record[6];
        if (connection->kind != 3 && connection->kind != 6 && connection->kind != 7) return -1;
    }
    return 0;
whole:
    connection->status = 200;
    if (!strncmp(connection->head, "Status: ", 8)) connection->status = atoi(connection->head + 8);
    return 1;
}

static int take_http(struct connection *connection, const char *bytes, size_t length) {
    if (connection->body_left < 0) {
        keep_head(connection, bytes, length);
        char *end = strstr(connection->head, "\r\n\r\n");
        if (!end) return connection->head_length + 1 >= sizeof connection->head ? -1 : 0;
        if (connection->head_length < 12) return -1;
        connection->status = atoi(connection->head + 9);
        char *field = strcasestr(connection->head, "\r\nContent-Length:");
        if (!field || field > end) return -1;
        size_t head_size = (size_t)(end + 4 - connection->head);
        size_t before = connection->seen;  // bytes of the head that came earlier
        connection->body_left = atol(field + 17);
        length = before + length - head_size;
        connection->seen = 0;
    }
    connection->body_left -= (long)length;
    return connection->body_left < 0 ? -1 : connection->body_left == 0;
}

static void note_answer(struct connection *connection) {
    double at = now();
    if (latency_count == latency_space) {
        latency_space = latency_space ? latency_space * 2 : 1 << 16;
        latencies = realloc(latencies, latency_space * sizeof *latencies);
        if (!latencies) die("memory");
    }
    latencies[latency_count++] = (uint32_t)((at - connection->sent_at) * 1e6);
    if (!answered) first_answer = at;
    last_answer = at;
    answered++;
    if (connection->status != 200) {
        bad++;
        if (!first_bad_status) first_bad_status = (unsigned long)connection->status;
    }
    connection->is_busy = 0;
}

static int rising(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static double percentile(double share) {
    if (!latency_count) return 0;
    size_t at = (size_t)(share * (double)(latency_count - 1) + 0.5);
    return latencies[at] / 1000.0;
}

int main(int argc, char **argv) {
    const char *address = NULL;
    unsigned long wanted_connections = 1, total = 0;
    double duration = 0, ramp = 0;
    int option;
    while ((option = getopt(argc, argv, "p:a:q:c:n:d:f:R:r:")) != -1) {
        switch (option) {
        case 'p': is_fastcgi = !strcmp(optarg, "fcgi"); break;
        case 'a': address = optarg; break;
        case 'q': target_template = optarg; break;
        case 'c': wanted_connections = strtoul(optarg, NULL, 10); break;
        case 'n': total = strtoul(optarg, NULL, 10); break;
        case 'd': duration = strtod(optarg, NULL); break;
        case 'f': next_number = strtoul(optarg, NULL, 10); break;
        case 'R': random_range = strtoul(optarg, NULL, 10); break;
        case 'r': ramp = strtod(optarg, NULL) / 1000; break;
        default: return 2;
        }
    }
    if (!address || (!total && duration <= 0)) {
        fprintf(stderr, "usage: see the top of flood.c\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    int epoll = epoll_create1(0);
    struct connection *connections = calloc(wanted_connections, sizeof *connections);
    if (epoll < 0 || !connections) die("start");
    unsigned long made = 0;
    for (unsigned long i = 0; i < wanted_connections; i++) {
        int fd = connect_to(address);
        if (fd < 0) {
            if (!made) die(address);
            fprintf(stderr, "flood: connection %lu: %s\n", i, strerror(errno));
            break;
        }
        connections[made].fd = fd;
        watch(epoll, &connections[made], 0, EPOLL_CTL_ADD);
        made++;
    }

    started = now();
    unsigned long asked = 0, not_begun = made;
    unsigned long begun = 0;
    double end = duration > 0 ? started + duration : 1e18;
    char *buffer = malloc(BUFFER);
    struct epoll_event events[512];
    if (!buffer) die("memory");
    for (unsigned long i = 0; i < made; i++)
        connections[i].not_before = started + ramp * (double)i / (double)made;
    double last_progress = started;
    while (now() < end && (!total || answered + cut < total)) {
        while (not_begun && (!total || asked < total) && now() >= connections[begun].not_before) {
            if (connections[begun].fd >= 0) {
                ask(epoll, &connections[begun]);
                asked++;
            }
            begun++;
            not_begun--;
            if (begun % 512 == 0 && ramp > 0) break;
        }
        int count = epoll_wait(epoll, events, 512, not_begun ? 1 : 100);
        if (count > 0) last_progress = now();
        if (now() - last_progress > PATIENCE) break;
        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            if (connection->fd < 0) continue;
            if (events[i].events & EPOLLOUT && connection->unsent) send_rest(epoll, connection);
            if (connection->fd < 0 || !(events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
            ssize_t length = recv(connection->fd, buffer, BUFFER, 0);
            if (length < 0 && errno == EAGAIN) continue;
            if (length <= 0 || !connection->is_busy) {
                give_up(connection);
                continue;
            }
            int whole = is_fastcgi ? take_fastcgi(connection, buffer, (size_t)length)
                                   : take_http(connection, buffer, (size_t)length);
            if (whole < 0) {
                give_up(connection);
                continue;
            }
            connection->seen += (size_t)length;
            if (!whole) continue;
            note_answer(connection);
            if ((!total || asked < total) && now() < end) {
                ask(epoll, connection);
                asked++;
            }
        }
    }
    double seconds = (duration > 0 ? (now() < end ? now() : end) : last_answer) - started;
    qsort(latencies, latency_count, sizeof *latencies, rising);
    printf(
        "connections=%lu asked=%lu answered=%lu bad=%lu cut=%lu bad_status=%lu seconds=%.4f rate=%.1f p50=%.2f "
        "p90=%.2f p99=%.2f max=%.2f first=%.2f last=%.2f\n",
        made, asked, answered, bad, cut, first_bad_status, seconds, seconds > 0 ? (double)answered / seconds : 0,
        percentile(0.5), percentile(0.9), percentile(0.99), percentile(1),
        answered ? (first_answer - started) * 1000 : 0, answered ? (last_answer - started) * 1000 : 0);
    return 0;
}
