/* libcurl's headers, and a typed function for each kind of value that the
 * variadic curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt take:
 * Swift can't call variadic functions. */
#pragma once
#include <curl/curl.h>

#if LIBCURL_VERSION_NUM < 0x075700
#error "libcurl 7.87.0 or newer is needed: CURLOPT_QUICK_EXIT"
#endif

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
/* CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION. */
typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *user);
static inline CURLcode ccurl_set_data_callback(CURL *easy, CURLoption option, ccurl_data_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}
/* CURLOPT_OPENSOCKETFUNCTION: called once a name is resolved, with an address to make a socket for. */
static inline CURLcode ccurl_set_open_socket_callback(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
/* CURLOPT_PREREQFUNCTION: called once connected, new or reused, before the request is sent. */
static inline CURLcode ccurl_set_before_request_callback(CURL *easy, curl_prereq_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

/* Macros with casts, which Swift doesn't import. */
static const curl_socket_t ccurl_socket_timeout = CURL_SOCKET_TIMEOUT;
static const curl_socket_t ccurl_socket_bad = CURL_SOCKET_BAD;
static const long ccurl_global_default = CURL_GLOBAL_DEFAULT;

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
typedef int (*ccurl_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *user, void *socketUser);
static inline CURLMcode ccurl_multi_set_socket_callback(CURLM *multi, ccurl_socket_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}
typedef int (*ccurl_timer_callback)(CURLM *multi, long milliseconds, void *user);
static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *multi, ccurl_timer_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

/* A finished transfer: CURLMsg holds its result in a union. */
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
