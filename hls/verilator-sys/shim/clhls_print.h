// Included before every file of a model: where the design's $display goes.
#ifndef CLHLS_PRINT_H
#define CLHLS_PRINT_H
#ifdef __cplusplus
int clhls_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define VL_PRINTF clhls_printf
#endif
#endif
