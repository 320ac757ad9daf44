#ifndef TRIP_WEATHER_TEST_SUPPORT_H
#define TRIP_WEATHER_TEST_SUPPORT_H

/// How often the calling thread has allocated memory so far, by malloc, calloc or realloc; -1 under a sanitizer,
/// which has an allocator of its own.
long ctestsupport_allocations(void);

#endif
