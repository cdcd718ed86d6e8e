/* What the C programs share: the first thing that is wrong ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A call that must work. */
#define must(call)                                                                                        \
    do {                                                                                                  \
        int status_ = (call);                                                                             \
        if (status_ == CLHLS_SUCCESS) break;                                                              \
        fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, clhls_status_name(status_), clhls_error()); \
        exit(1);                                                                                          \
    } while (0)

/* Something that must be so. */
#define check(condition)                                                             \
    do {                                                                             \
        if (condition) break;                                                        \
        fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);      \
        exit(1);                                                                     \
    } while (0)

/* A call that must fail with this status and say why. */
#define refused(status, call)                                                                                    \
    do {                                                                                                         \
        int status_ = (call);                                                                                    \
        if (status_ == (status) && clhls_last_status() == (status) && *clhls_error()) break;                     \
        fprintf(stderr, "%s:%d: %s, not %s\n", __FILE__, __LINE__, clhls_status_name(status_), #status);         \
        exit(1);                                                                                                 \
    } while (0)

static inline int is_simulated(void) {
    const char *device = getenv("CLHLS_DEVICE");
    return !device || !strncmp(device, "sim", 3);
}
