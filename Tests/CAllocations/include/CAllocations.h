#ifndef TRIP_WEATHER_ALLOCATIONS_H
#define TRIP_WEATHER_ALLOCATIONS_H

/// How often the calling thread has allocated memory so far, by malloc, calloc or realloc; -1 under a sanitizer,
/// which has an allocator of its own.
long callocations_count(void);

#endif
