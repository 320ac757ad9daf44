// What the program is measured against as CGI in C: one process a request that asks for the place, then for
// its forecast, with libcurl. It finds its numbers by searching the text for their names, where the others
// decode JSON, and writes a shorter answer: what it takes is a floor.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char bytes[65536];
    size_t length;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct text *text = context;
    size_t length = size * count;
    if (text->length + length >= sizeof text->bytes) return 0;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
    return length;
}

static int get(CURL *curl, const char *address, struct text *text) {
    long status = 0;
    curl_easy_setopt(curl, CURLOPT_URL, address);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, text);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, 6000L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    if (curl_easy_perform(curl) != CURLE_OK) return 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status == 200;
}

static double number(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? strtod(at + strlen(name), NULL) : 0;
}

int main(void) {
    const char *query = getenv("QUERY_STRING"), *upstream = getenv("BENCH_UPSTREAM");
    const char *city = query ? strstr(query, "city=") : NULL;
    static struct text place, weather;
    char address[1024];
    CURL *curl = curl_easy_init();
    if (!curl || !city || !upstream) {
        printf("Status: 400 Bad Request\r\n\r\n");
        return 0;
    }
    city += 5;
    snprintf(
        address, sizeof address, "%s/v1/search?name=%.*s&count=10&language=en&format=json", upstream,
        (int)strcspn(city, "&"), city);
    int is_right = get(curl, address, &place);
    if (is_right) {
        snprintf(
            address, sizeof address,
            "%s/v1/forecast?latitude=%.2f&longitude=%.2f&current=temperature_2m,apparent_temperature,"
            "relative_humidity_2m,precipitation,wind_speed_10m,weather_code,is_day&daily=weather_code,"
            "temperature_2m_max,temperature_2m_min,precipitation_sum,precipitation_probability_max,sunrise,"
            "sunset&forecast_days=16&timezone=auto",
            upstream, number(place.bytes, "\"latitude\":"), number(place.bytes, "\"longitude\":"));
        is_right = get(curl, address, &weather);
    }
    if (!is_right) {
        printf("Status: 502 Bad Gateway\r\n\r\n");
        return 0;
    }
    char body[1024];
    const char *current = strstr(weather.bytes, "\"current\":{");
    if (!current) current = "";
    int length = snprintf(
        body, sizeof body,
        "{\"state\":\"loaded\",\"current\":{\"temperature\":%.1f,\"apparentTemperature\":%.1f,"
        "\"relativeHumidity\":%.0f,\"precipitation\":%.2f,\"windSpeed\":%.1f,\"code\":%.0f}}",
        number(current, "\"temperature_2m\":"), number(current, "\"apparent_temperature\":"),
        number(current, "\"relative_humidity_2m\":"), number(current, "\"precipitation\":"),
        number(current, "\"wind_speed_10m\":"), number(current, "\"weather_code\":"));
    printf("Status: 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", length, body);
    return 0;
}
