/* Nothing to call: linked into the tests, it tells the thread sanitizer of Swift's Mutex. See mutex.c. */
#pragma once
