// What the program is measured against in C: a FastCGI responder with libfcgi that answers from a hash table.
//
//   responder SOCKET PROCESSES FOLDER
//
// FOLDER holds the keys, one "city<tab>country" a line, and the answers: json.head, json.body, html.head,
// html.body. Each process has one request at a time, which is all that libfcgi can do, and one connection.
#include <fcgiapp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 4096, KEY = 256 };

struct text {
    char *bytes;
    int length;
};

struct entry {
    char key[KEY];
    struct text head[2], body[2];  // JSON, HTML
    time_t stored_at;
};

static struct entry *table[SLOTS];

static unsigned long hash(const char *key) {
    unsigned long value = 1469598103934665603ul;
    for (; *key; key++) value = (value ^ (unsigned char)*key) * 1099511628211ul;
    return value;
}

static struct entry **slot(const char *key) {
    unsigned long at = hash(key) % SLOTS;
    while (table[at] && strcmp(table[at]->key, key)) at = (at + 1) % SLOTS;
    return &table[at];
}

static struct text load(const char *folder, const char *name) {
    char path[4096];
    struct text text = {malloc(65536), 0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file || !text.bytes) {
        perror(path);
        exit(1);
    }
    text.length = (int)fread(text.bytes, 1, 65536, file);
    fclose(file);
    return text;
}

static void load_table(const char *folder) {
    char path[4096], line[KEY];
    snprintf(path, sizeof path, "%s/keys", folder);
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        struct entry *entry = calloc(1, sizeof *entry);
        if (!entry) exit(1);
        snprintf(entry->key, sizeof entry->key, "%s", line);
        entry->head[0] = load(folder, "json.head");
        entry->body[0] = load(folder, "json.body");
        entry->head[1] = load(folder, "html.head");
        entry->body[1] = load(folder, "html.body");
        entry->stored_at = time(NULL);
        *slot(line) = entry;
    }
    fclose(file);
}

static int digit(char character) {
    if (character >= '0' && character <= '9') return character - '0';
    if ((character | 32) >= 'a' && (character | 32) <= 'f') return (character | 32) - 'a' + 10;
    return -1;
}

// Copies the value of a parameter, decoded.
static void parameter(const char *query, const char *name, char *out, size_t space) {
    size_t name_length = strlen(name), length = 0;
    out[0] = 0;
    while (query && *query) {
        if (!strncmp(query, name, name_length) && query[name_length] == '=') {
            for (query += name_length + 1; *query && *query != '&' && length + 1 < space; query++) {
                if (*query == '+') {
                    out[length++] = ' ';
                } else if (*query == '%' && digit(query[1]) >= 0 && digit(query[2]) >= 0) {
                    out[length++] = (char)(digit(query[1]) << 4 | digit(query[2]));
                    query += 2;
                } else {
                    out[length++] = *query;
                }
            }
            out[length] = 0;
            return;
        }
        query = strchr(query, '&');
        if (query) query++;
    }
}

static void answer(FCGX_Request *request) {
    const char *path = FCGX_GetParam("SCRIPT_NAME", request->envp);
    const char *query = FCGX_GetParam("QUERY_STRING", request->envp);
    char key[KEY * 2], city[KEY / 2], country[KEY / 2];
    parameter(query, "city", city, sizeof city);
    parameter(query, "country", country, sizeof country);
    snprintf(key, sizeof key, "%s\t%s", city, country);
    const char *end = path ? strrchr(path, '/') : NULL;
    int is_html = end && !strcmp(end, "/weather.html");
    struct entry *entry = end && (is_html || !strcmp(end, "/weather")) ? *slot(key) : NULL;
    if (!entry) {
        FCGX_FPrintF(request->out, "Status: 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        return;
    }
    char head[512];
    int length = snprintf(
        head, sizeof head,
        "Age: %ld\r\nCache-Status: responder; hit\r\nServer-Timing: render;dur=0.0\r\nContent-Length: %d\r\n\r\n",
        (long)(time(NULL) - entry->stored_at), entry->body[is_html].length);
    FCGX_PutStr("Status: 200 OK\r\n", 16, request->out);
    FCGX_PutStr(entry->head[is_html].bytes, entry->head[is_html].length, request->out);
    FCGX_PutStr(head, length, request->out);
    FCGX_PutStr(entry->body[is_html].bytes, entry->body[is_html].length, request->out);
}

static int serve(int socket) {
    FCGX_Request request;
    FCGX_InitRequest(&request, socket, 0);
    while (FCGX_Accept_r(&request) == 0) {
        answer(&request);
        FCGX_Finish_r(&request);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: responder SOCKET PROCESSES FOLDER\n");
        return 2;
    }
    FCGX_Init();
    int socket = FCGX_OpenSocket(argv[1], 4096);
    if (socket < 0) return 1;
    load_table(argv[3]);
    int processes = atoi(argv[2]);
    for (int i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            return serve(socket);
        }
    }
    while (wait(NULL) > 0) {}
    return 0;
}
