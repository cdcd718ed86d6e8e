/* What translated texts begin with. Which parts they use, the translator says.

   A channel is an extern variable of type T in __constant memory. Functions that are declared only access it: they are given
   its address, that of the value, and the size and the alignment of T in bytes. They return 0 where they did their work. */
#define CLHLS_CHANNEL_FUNCTION(name, value, space) \
    int __attribute__((overloadable)) name(__constant const void *, space value void *, unsigned, unsigned);
#define CLHLS_CHANNEL_FUNCTIONS(space) \
    CLHLS_CHANNEL_FUNCTION(clhls_channel_read, , space) \
    CLHLS_CHANNEL_FUNCTION(clhls_channel_read_nb, , space) \
    CLHLS_CHANNEL_FUNCTION(clhls_channel_write, const, space) \
    CLHLS_CHANNEL_FUNCTION(clhls_channel_write_nb, const, space)
CLHLS_CHANNEL_FUNCTIONS(__private)
CLHLS_CHANNEL_FUNCTIONS(__global)
CLHLS_CHANNEL_FUNCTIONS(__local)
#if defined(__opencl_c_generic_address_space) || __OPENCL_C_VERSION__ == 200
CLHLS_CHANNEL_FUNCTIONS(__generic)
#endif

/* Values in a channel now, and at most. */
int __attribute__((overloadable)) clhls_channel_count(__constant const void *, unsigned, unsigned);
int __attribute__((overloadable)) clhls_channel_most(__constant const void *, unsigned, unsigned);

/* The type of what is in a channel: the comma takes the qualifiers away. */
#define CLHLS_CHANNEL_TYPE(c) __typeof__(((void)0, (c)))

#ifdef CLHLS_CHANNELS
/* Variables of the macros may have the same name in each other: an argument that has such a macro in it has its own block. */
#define read_channel_intel(c) __extension__({ \
    CLHLS_CHANNEL_TYPE(c) clhls_v; \
    (void)clhls_channel_read(&(c), &clhls_v, sizeof clhls_v, __alignof__(clhls_v)); \
    clhls_v; })
#define write_channel_intel(c, ...) __extension__({ \
    CLHLS_CHANNEL_TYPE(c) clhls_v = (__VA_ARGS__); \
    (void)clhls_channel_write(&(c), &clhls_v, sizeof clhls_v, __alignof__(clhls_v)); })
#define read_channel_nb_intel(c, ...) __extension__({ \
    CLHLS_CHANNEL_TYPE(c) clhls_v; \
    *(__VA_ARGS__) = clhls_channel_read_nb(&(c), &clhls_v, sizeof clhls_v, __alignof__(clhls_v)) == 0; \
    clhls_v; })
#define write_channel_nb_intel(c, ...) __extension__({ \
    CLHLS_CHANNEL_TYPE(c) clhls_v = (__VA_ARGS__); \
    (bool)(clhls_channel_write_nb(&(c), &clhls_v, sizeof clhls_v, __alignof__(clhls_v)) == 0); })
#define read_channel_altera read_channel_intel
#define write_channel_altera write_channel_intel
#define read_channel_nb_altera read_channel_nb_intel
#define write_channel_nb_altera write_channel_nb_intel

/* Operations on channels keep their order. */
#ifndef CLK_CHANNEL_MEM_FENCE
#define CLK_CHANNEL_MEM_FENCE 0
#endif

/* Where registers go, and how memory is accessed, is the scheduler's choice. */
#ifndef __fpga_reg
#define __fpga_reg(...) (__VA_ARGS__)
#endif
#ifndef __pipelined_load
#define __pipelined_load(p) (*(p))
#endif
#ifndef __prefetching_load
#define __prefetching_load(p) (*(p))
#endif
#ifndef __burst_coalesced_load
#define __burst_coalesced_load(p, ...) (*(p))
#endif
#ifndef __burst_coalesced_cached_load
#define __burst_coalesced_cached_load(p, ...) (*(p))
#endif
#ifndef __pipelined_store
#define __pipelined_store(p, ...) (*(p) = (__VA_ARGS__))
#endif
#ifndef __burst_coalesced_store
#define __burst_coalesced_store(p, ...) (*(p) = (__VA_ARGS__))
#endif
#endif

#ifdef CLHLS_PIPES
/* Pipes at program scope: the translator puts these names into calls whose first argument is one. */
#define CLHLS_PIPE(f, p, ...) f(&(p), (__VA_ARGS__), sizeof(p), __alignof__(p))
#define clhls_pipe_write_block(p, ...) CLHLS_PIPE(clhls_channel_write, p, __VA_ARGS__)
#define clhls_pipe_read_block(p, ...) CLHLS_PIPE(clhls_channel_read, p, __VA_ARGS__)
#define clhls_pipe_write(p, ...) CLHLS_PIPE(clhls_channel_write_nb, p, __VA_ARGS__)
#define clhls_pipe_read(p, ...) CLHLS_PIPE(clhls_channel_read_nb, p, __VA_ARGS__)
#define clhls_pipe_count(p) ((unsigned)clhls_channel_count(&(p), sizeof(p), __alignof__(p)))
#define clhls_pipe_most(p) ((unsigned)clhls_channel_most(&(p), sizeof(p), __alignof__(p)))

/* Pipes that are parameters. What the pointer points to is computed once. */
#define write_pipe_block(p, ...) __extension__({ \
    __typeof__((__VA_ARGS__) + 0) clhls_p = (__VA_ARGS__); \
    while (write_pipe(p, clhls_p) != 0); 0; })
#define read_pipe_block(p, ...) __extension__({ \
    __typeof__((__VA_ARGS__) + 0) clhls_p = (__VA_ARGS__); \
    while (read_pipe(p, clhls_p) != 0); 0; })
#endif
