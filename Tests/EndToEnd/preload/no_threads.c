// A pthread_create to preload that fails as it does at the limit of processes.
#include <errno.h>
#include <pthread.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    (void)thread, (void)attributes, (void)body, (void)argument;
    return EAGAIN;
}
