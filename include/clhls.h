// Conversions that OpenCL C cannot spell: bfloat16, rounding half away from zero, stochastic rounding.
//
// A bfloat16 (sign, 8 bits of exponent, 7 of fraction: the upper half of a float) is held in a ushort. [N] is
// nothing, 2, 3, 4, 8 or 16; T is any of char .. ulong, half, float, double; an integer type is any of char .. ulong.
//
//   ushortN clhls_convert_bfloat16N[_MODE](TN x)            to bfloat16; MODE: rte (default) rtz rtp rtn rhaz
//   ushortN clhls_convert_bfloat16N_sr(TN x, uintN random)  T: half, float, double
//   TN clhls_convert_as_bfloat16N_TN(ushortN x)             from bfloat16 to float, double (exact)
//   TN clhls_convert_as_bfloat16N_TN[_sat][_MODE](ushortN x) to integers; MODE: rtz (default) rte rtp rtn rhaz
//   halfN clhls_convert_as_bfloat16N_halfN[_MODE](ushortN x) and _sr(ushortN x, uintN random)
//   TN clhls_convert_TN_rhaz(SN x)                          to half, float, double from integers and wider floats
//   TN clhls_convert_TN[_sat]_rhaz(SN x)                    to integers from half, float, double
//   TN clhls_convert_TN_sr(SN x, uintN random)              to half, float from wider floats
//
// rhaz rounds to nearest, ties away from zero. sr rounds up in magnitude if the first 32 bits of the fraction of the
// last place that is lost, plus random, are at least 2^32: with uniform random bits, with the probability of that
// fraction. Where less than 32 bits are lost the upper bits of random decide. Exact results stay exact; NaN gives the
// canonical NaN; overflow gives infinity. Integers out of range: the nearest integer, with and without _sat; NaN: 0.
//
// half and double need cl_khr_fp16 and cl_khr_fp64. For SPIR-V targets the functions are declared only, and clhls
// knows them by their names. Anywhere else, and with CLHLS_PORTABLE defined, they are defined here in plain OpenCL C.
#ifndef CLHLS_H
#define CLHLS_H

#if !defined(CLHLS_PORTABLE) && !defined(__SPIR__) && !defined(__SPIRV__)
#define CLHLS_PORTABLE
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define CLHLS_IF_DOUBLE(...) __VA_ARGS__
#else
#define CLHLS_IF_DOUBLE(...)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CLHLS_IF_HALF(...) __VA_ARGS__
#else
#define CLHLS_IF_HALF(...)
#endif

#ifdef CLHLS_PORTABLE

// Rounding modes of the functions below; clhls_mode is that of a name without one.
enum { clhls_mode_rte, clhls_mode_rtz, clhls_mode_rtp, clhls_mode_rtn, clhls_mode_rhaz, clhls_mode_sr, clhls_mode = clhls_mode_rte };

// (-1)^sign * significand * 2^exponent, an infinity or a NaN.
typedef struct {
    ulong significand;
    int exponent;
    uint sign;
    enum { clhls_finite, clhls_infinite, clhls_nan } kind;
} clhls_number;

// The bits of a format of exponent_bits and fraction_bits that x is rounded to.
static inline ulong clhls_round(clhls_number x, int exponent_bits, int fraction_bits, int mode, uint random)
{
    ulong infinity = ((1UL << exponent_bits) - 1) << fraction_bits;
    ulong sign = (ulong)x.sign << (exponent_bits + fraction_bits);
    if (x.kind == clhls_nan)
        return infinity | 1UL << (fraction_bits - 1);
    if (x.kind == clhls_infinite)
        return sign | infinity;
    if (x.significand == 0)
        return sign;
    int zeros = (int)clz(x.significand);
    ulong significand = x.significand << zeros;
    int exponent = x.exponent - zeros + 63; // of the leading one
    int least = 2 - (1 << (exponent_bits - 1));
    int binade = max(exponent, least);
    int below = 63 - fraction_bits + binade - exponent; // bits behind the last place
    ulong units = below > 63 ? 0 : significand >> below;
    // the fraction of a unit: 64 bits, and whether more follow
    ulong fraction = below < 64 ? significand << (64 - below) : below < 128 ? significand >> (below - 64) : 0;
    bool more = below > 127 || (below > 64 && significand << (128 - below) != 0);
    bool inexact = fraction != 0 || more;
    ulong half_unit = 1UL << 63;
    bool up = false;
    switch (mode) {
    case clhls_mode_rte: up = fraction > half_unit || (fraction == half_unit && (more || (units & 1) != 0)); break;
    case clhls_mode_rtz: break;
    case clhls_mode_rtp: up = inexact && x.sign == 0; break;
    case clhls_mode_rtn: up = inexact && x.sign != 0; break;
    case clhls_mode_rhaz: up = fraction >= half_unit; break;
    default: up = (fraction >> 32) + random > 0xffffffffUL;
    }
    ulong bits = ((ulong)(binade - least) << fraction_bits) + units + (up ? 1 : 0);
    bool stays = mode == clhls_mode_rtz || (mode == clhls_mode_rtp && x.sign != 0) || (mode == clhls_mode_rtn && x.sign == 0);
    if (bits >= infinity)
        bits = stays ? infinity - 1 : infinity;
    return sign | bits;
}

static inline clhls_number clhls_unpack(ulong bits, int exponent_bits, int fraction_bits)
{
    int field = (int)(bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    ulong fraction = bits & ((1UL << fraction_bits) - 1);
    clhls_number x;
    x.sign = (uint)(bits >> (exponent_bits + fraction_bits)) & 1;
    x.exponent = max(field, 1) + 1 - (1 << (exponent_bits - 1)) - fraction_bits;
    x.significand = field == 0 ? fraction : fraction | 1UL << fraction_bits;
    bool special = field == (1 << exponent_bits) - 1;
    x.kind = !special ? clhls_finite : fraction != 0 ? clhls_nan : clhls_infinite;
    return x;
}

#define CLHLS_INLINE static inline __attribute__((overloadable))
#define CLHLS_PARTS_OF_INTEGER(T)                                                                                      \
    CLHLS_INLINE clhls_number clhls_parts(T x)                                                                         \
    {                                                                                                                  \
        clhls_number n = {x < 0 ? -(ulong)x : (ulong)x, 0, x < 0, clhls_finite};                                       \
        return n;                                                                                                      \
    }
CLHLS_PARTS_OF_INTEGER(char)
CLHLS_PARTS_OF_INTEGER(uchar)
CLHLS_PARTS_OF_INTEGER(short)
CLHLS_PARTS_OF_INTEGER(ushort)
CLHLS_PARTS_OF_INTEGER(int)
CLHLS_PARTS_OF_INTEGER(uint)
CLHLS_PARTS_OF_INTEGER(long)
CLHLS_PARTS_OF_INTEGER(ulong)
CLHLS_INLINE clhls_number clhls_parts(float x) { return clhls_unpack(as_uint(x), 8, 23); }
CLHLS_IF_HALF(CLHLS_INLINE clhls_number clhls_parts(half x) { return clhls_unpack(as_ushort(x), 5, 10); })
CLHLS_IF_DOUBLE(CLHLS_INLINE clhls_number clhls_parts(double x) { return clhls_unpack(as_ulong(x), 11, 52); })

#define CLHLS_WIDE(x) as_float((uint)(x) << 16)
// How one element is converted: x, then what is pasted from the name (mode), then random bits.
#define CLHLS_TO_BFLOAT16(x, T, mode, r) ((ushort)clhls_round(clhls_parts(x), 8, 7, clhls_mode##mode, r))
#define CLHLS_TO_HALF(x, T, mode, r) as_half((ushort)clhls_round(clhls_parts(x), 5, 10, clhls_mode##mode, r))
#define CLHLS_TO_FLOAT(x, T, mode, r) as_float((uint)clhls_round(clhls_parts(x), 8, 23, clhls_mode##mode, r))
#define CLHLS_TO_DOUBLE(x, T, mode, r) as_double(clhls_round(clhls_parts(x), 11, 52, clhls_mode##mode, r))
#define CLHLS_TO_INTEGER_RHAZ(x, T, mode, r) convert_##T##_sat_rtz(round(x))
#define CLHLS_BFLOAT16_TO_HALF(x, T, mode, r) CLHLS_TO_HALF(CLHLS_WIDE(x), T, mode, r)
#define CLHLS_BFLOAT16_TO_WIDE(x, T, mode, r) ((T)CLHLS_WIDE(x))
#define CLHLS_BFLOAT16_TO_INTEGER(x, T, mode, r) convert_##T##_sat##mode(CLHLS_WIDE(x))
#define CLHLS_BFLOAT16_TO_INTEGER_RHAZ(x, T, mode, r) convert_##T##_sat_rtz(round(CLHLS_WIDE(x)))

#define CLHLS_EACH2(F, T, m) F(x.s0, T, m, random.s0), F(x.s1, T, m, random.s1)
#define CLHLS_EACH3(F, T, m) CLHLS_EACH2(F, T, m), F(x.s2, T, m, random.s2)
#define CLHLS_EACH4(F, T, m) CLHLS_EACH3(F, T, m), F(x.s3, T, m, random.s3)
#define CLHLS_EACH8(F, T, m)                                                                                           \
    CLHLS_EACH4(F, T, m), F(x.s4, T, m, random.s4), F(x.s5, T, m, random.s5), F(x.s6, T, m, random.s6), F(x.s7, T, m, random.s7)
#define CLHLS_EACH16(F, T, m)                                                                                          \
    CLHLS_EACH8(F, T, m), F(x.s8, T, m, random.s8), F(x.s9, T, m, random.s9), F(x.sa, T, m, random.sa),                \
        F(x.sb, T, m, random.sb), F(x.sc, T, m, random.sc), F(x.sd, T, m, random.sd), F(x.se, T, m, random.se),        \
        F(x.sf, T, m, random.sf)
// A function without random bits: they are 0. F does not use them.
#define CLHLS_FN1(R, name, S, F, T, m)                                                                                 \
    CLHLS_INLINE R name(S x) { const uint random = 0; (void)random; return F(x, T, m, random); }
#define CLHLS_FN(R, N, name, S, F, T, m)                                                                               \
    CLHLS_INLINE R##N name(S##N x) { const uint##N random = 0; (void)random; return (R##N)(CLHLS_EACH##N(F, T, m)); }
#define CLHLS_FN_SR1(R, name, S, F, T)                                                                                 \
    CLHLS_INLINE R name(S x, uint random) { return F(x, T, _sr, random); }
#define CLHLS_FN_SR(R, N, name, S, F, T)                                                                               \
    CLHLS_INLINE R##N name(S##N x, uint##N random) { return (R##N)(CLHLS_EACH##N(F, T, _sr)); }

#else // declarations for clhls

#define CLHLS_FUNCTION __attribute__((overloadable, const))
#define CLHLS_FN1(R, name, S, F, T, m) R CLHLS_FUNCTION name(S x);
#define CLHLS_FN(R, N, name, S, F, T, m) R##N CLHLS_FUNCTION name(S##N x);
#define CLHLS_FN_SR1(R, name, S, F, T) R CLHLS_FUNCTION name(S x, uint random);
#define CLHLS_FN_SR(R, N, name, S, F, T) R##N CLHLS_FUNCTION name(S##N x, uint##N random);

#endif

// Functions of all vector lengths. D: destination in the name, R: its type, m: rounding in the name.
#define CLHLS_TO(D, R, m, S, F)                                                                                        \
    CLHLS_FN1(R, clhls_convert_##D##m, S, F, R, m)                                                                     \
    CLHLS_FN(R, 2, clhls_convert_##D##2##m, S, F, R, m)                                                                \
    CLHLS_FN(R, 3, clhls_convert_##D##3##m, S, F, R, m)                                                                \
    CLHLS_FN(R, 4, clhls_convert_##D##4##m, S, F, R, m)                                                                \
    CLHLS_FN(R, 8, clhls_convert_##D##8##m, S, F, R, m)                                                                \
    CLHLS_FN(R, 16, clhls_convert_##D##16##m, S, F, R, m)
#define CLHLS_TO_SR(D, R, S, F)                                                                                        \
    CLHLS_FN_SR1(R, clhls_convert_##D##_sr, S, F, R)                                                                   \
    CLHLS_FN_SR(R, 2, clhls_convert_##D##2_sr, S, F, R)                                                                \
    CLHLS_FN_SR(R, 3, clhls_convert_##D##3_sr, S, F, R)                                                                \
    CLHLS_FN_SR(R, 4, clhls_convert_##D##4_sr, S, F, R)                                                                \
    CLHLS_FN_SR(R, 8, clhls_convert_##D##8_sr, S, F, R)                                                                \
    CLHLS_FN_SR(R, 16, clhls_convert_##D##16_sr, S, F, R)
// n: saturation and rounding in the name.
#define CLHLS_FROM_BFLOAT16(R, n, m, F)                                                                                \
    CLHLS_FN1(R, clhls_convert_as_bfloat16_##R##n, ushort, F, R, m)                                                    \
    CLHLS_FN(R, 2, clhls_convert_as_bfloat162_##R##2##n, ushort, F, R, m)                                              \
    CLHLS_FN(R, 3, clhls_convert_as_bfloat163_##R##3##n, ushort, F, R, m)                                              \
    CLHLS_FN(R, 4, clhls_convert_as_bfloat164_##R##4##n, ushort, F, R, m)                                              \
    CLHLS_FN(R, 8, clhls_convert_as_bfloat168_##R##8##n, ushort, F, R, m)                                              \
    CLHLS_FN(R, 16, clhls_convert_as_bfloat1616_##R##16##n, ushort, F, R, m)
#define CLHLS_FROM_BFLOAT16_SR(R, F)                                                                                   \
    CLHLS_FN_SR1(R, clhls_convert_as_bfloat16_##R##_sr, ushort, F, R)                                                  \
    CLHLS_FN_SR(R, 2, clhls_convert_as_bfloat162_##R##2_sr, ushort, F, R)                                              \
    CLHLS_FN_SR(R, 3, clhls_convert_as_bfloat163_##R##3_sr, ushort, F, R)                                              \
    CLHLS_FN_SR(R, 4, clhls_convert_as_bfloat164_##R##4_sr, ushort, F, R)                                              \
    CLHLS_FN_SR(R, 8, clhls_convert_as_bfloat168_##R##8_sr, ushort, F, R)                                              \
    CLHLS_FN_SR(R, 16, clhls_convert_as_bfloat1616_##R##16_sr, ushort, F, R)

#define CLHLS_TO_BFLOAT16_FROM(S)                                                                                      \
    CLHLS_TO(bfloat16, ushort, , S, CLHLS_TO_BFLOAT16)                                                                 \
    CLHLS_TO(bfloat16, ushort, _rte, S, CLHLS_TO_BFLOAT16)                                                             \
    CLHLS_TO(bfloat16, ushort, _rtz, S, CLHLS_TO_BFLOAT16)                                                             \
    CLHLS_TO(bfloat16, ushort, _rtp, S, CLHLS_TO_BFLOAT16)                                                             \
    CLHLS_TO(bfloat16, ushort, _rtn, S, CLHLS_TO_BFLOAT16)                                                             \
    CLHLS_TO(bfloat16, ushort, _rhaz, S, CLHLS_TO_BFLOAT16)
#define CLHLS_BFLOAT16_TO(T)                                                                                           \
    CLHLS_FROM_BFLOAT16(T, , , CLHLS_BFLOAT16_TO_INTEGER)                                                              \
    CLHLS_FROM_BFLOAT16(T, _rte, _rte, CLHLS_BFLOAT16_TO_INTEGER)                                                      \
    CLHLS_FROM_BFLOAT16(T, _rtz, _rtz, CLHLS_BFLOAT16_TO_INTEGER)                                                      \
    CLHLS_FROM_BFLOAT16(T, _rtp, _rtp, CLHLS_BFLOAT16_TO_INTEGER)                                                      \
    CLHLS_FROM_BFLOAT16(T, _rtn, _rtn, CLHLS_BFLOAT16_TO_INTEGER)                                                      \
    CLHLS_FROM_BFLOAT16(T, _rhaz, , CLHLS_BFLOAT16_TO_INTEGER_RHAZ)                                                    \
    CLHLS_FROM_BFLOAT16(T, _sat, , CLHLS_BFLOAT16_TO_INTEGER)                                                          \
    CLHLS_FROM_BFLOAT16(T, _sat_rte, _rte, CLHLS_BFLOAT16_TO_INTEGER)                                                  \
    CLHLS_FROM_BFLOAT16(T, _sat_rtz, _rtz, CLHLS_BFLOAT16_TO_INTEGER)                                                  \
    CLHLS_FROM_BFLOAT16(T, _sat_rtp, _rtp, CLHLS_BFLOAT16_TO_INTEGER)                                                  \
    CLHLS_FROM_BFLOAT16(T, _sat_rtn, _rtn, CLHLS_BFLOAT16_TO_INTEGER)                                                  \
    CLHLS_FROM_BFLOAT16(T, _sat_rhaz, , CLHLS_BFLOAT16_TO_INTEGER_RHAZ)
#define CLHLS_TO_INTEGER(T, S)                                                                                         \
    CLHLS_TO(T, T, _rhaz, S, CLHLS_TO_INTEGER_RHAZ)                                                                    \
    CLHLS_TO(T, T, _sat_rhaz, S, CLHLS_TO_INTEGER_RHAZ)
// Everything between an integer type and the floats.
#define CLHLS_INTEGER(T)                                                                                               \
    CLHLS_TO_BFLOAT16_FROM(T)                                                                                          \
    CLHLS_BFLOAT16_TO(T)                                                                                               \
    CLHLS_TO(float, float, _rhaz, T, CLHLS_TO_FLOAT)                                                                   \
    CLHLS_TO_INTEGER(T, float)                                                                                         \
    CLHLS_IF_HALF(CLHLS_TO(half, half, _rhaz, T, CLHLS_TO_HALF) CLHLS_TO_INTEGER(T, half))                             \
    CLHLS_IF_DOUBLE(CLHLS_TO(double, double, _rhaz, T, CLHLS_TO_DOUBLE) CLHLS_TO_INTEGER(T, double))

CLHLS_INTEGER(char)
CLHLS_INTEGER(uchar)
CLHLS_INTEGER(short)
CLHLS_INTEGER(ushort)
CLHLS_INTEGER(int)
CLHLS_INTEGER(uint)
CLHLS_INTEGER(long)
CLHLS_INTEGER(ulong)

CLHLS_TO_BFLOAT16_FROM(float)
CLHLS_TO_SR(bfloat16, ushort, float, CLHLS_TO_BFLOAT16)
CLHLS_FROM_BFLOAT16(float, , , CLHLS_BFLOAT16_TO_WIDE)

#ifdef cl_khr_fp64
CLHLS_TO_BFLOAT16_FROM(double)
CLHLS_TO_SR(bfloat16, ushort, double, CLHLS_TO_BFLOAT16)
CLHLS_FROM_BFLOAT16(double, , , CLHLS_BFLOAT16_TO_WIDE)
CLHLS_TO(float, float, _rhaz, double, CLHLS_TO_FLOAT)
CLHLS_TO_SR(float, float, double, CLHLS_TO_FLOAT)
#endif

#ifdef cl_khr_fp16
CLHLS_TO_BFLOAT16_FROM(half)
CLHLS_TO_SR(bfloat16, ushort, half, CLHLS_TO_BFLOAT16)
CLHLS_FROM_BFLOAT16(half, , , CLHLS_BFLOAT16_TO_HALF)
CLHLS_FROM_BFLOAT16(half, _rte, _rte, CLHLS_BFLOAT16_TO_HALF)
CLHLS_FROM_BFLOAT16(half, _rtz, _rtz, CLHLS_BFLOAT16_TO_HALF)
CLHLS_FROM_BFLOAT16(half, _rtp, _rtp, CLHLS_BFLOAT16_TO_HALF)
CLHLS_FROM_BFLOAT16(half, _rtn, _rtn, CLHLS_BFLOAT16_TO_HALF)
CLHLS_FROM_BFLOAT16(half, _rhaz, _rhaz, CLHLS_BFLOAT16_TO_HALF)
CLHLS_FROM_BFLOAT16_SR(half, CLHLS_BFLOAT16_TO_HALF)
CLHLS_TO(half, half, _rhaz, float, CLHLS_TO_HALF)
CLHLS_TO_SR(half, half, float, CLHLS_TO_HALF)
#ifdef cl_khr_fp64
CLHLS_TO(half, half, _rhaz, double, CLHLS_TO_HALF)
CLHLS_TO_SR(half, half, double, CLHLS_TO_HALF)
#endif
#endif

#endif
