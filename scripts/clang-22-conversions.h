// Correct integer conversions for clang-22 as a producer of SPIR-V.
//
// clang 22's SPIR-V back end lowers convert_T() between integers by the signedness of the destination alone: widening
// uchar to uint becomes OpSConvert, char to int OpUConvert, and every saturating conversion of equal signedness takes
// OpSatConvertUToS or OpSatConvertSToU. Nothing in the module tells the right ones from the wrong ones. Included
// before a kernel (clang-22 -include ...), this header replaces those built-ins by ones that are lowered well:
// convert_T() by clang's own vector conversion, convert_T_sat() of integers by clamping first. Saturating conversions
// of floating-point values, and conversions with a rounding mode, are right and stay as they are.

// Converts X by the rules of a C cast, element by element.
#define clhls_cast_1(x, type) ((type)(x))
#define clhls_cast_n(x, type) __builtin_convertvector(x, type)

// Saturation from S to D: to the bounds that both have. CLAMP_LOW and CLAMP_HIGH are values of S.
#define clhls_saturate(cast, d, s, low, high)                                                                          \
    static inline __attribute__((overloadable, always_inline)) d clhls_convert_##d##_sat(s x)                          \
    {                                                                                                                  \
        return cast(clamp(x, (s)(low), (s)(high)), d);                                                                 \
    }
// A floating-point source: the built-in function.
#define clhls_saturate_float(d, s)                                                                                     \
    static inline __attribute__((overloadable, always_inline)) d clhls_convert_##d##_sat(s x)                          \
    {                                                                                                                  \
        return convert_##d##_sat(x);                                                                                   \
    }
#ifdef cl_khr_fp64
#define clhls_saturate_double(d, n) clhls_saturate_float(d##n, double##n)
#else
#define clhls_saturate_double(d, n)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define clhls_saturate_half(d, n) clhls_saturate_float(d##n, half##n)
#else
#define clhls_saturate_half(d, n)
#endif

// Signed destination of width W, range MIN..MAX; a source of the same or a smaller width that fits loses no bound.
#define clhls_signed(cast, n, d, min, max, char_low, char_high, uchar_high, short_low, short_high, ushort_high,        \
                     int_low, int_high, uint_high, ulong_high)                                                         \
    clhls_saturate(cast, d##n, char##n, char_low, char_high)                                                           \
    clhls_saturate(cast, d##n, uchar##n, 0, uchar_high)                                                                \
    clhls_saturate(cast, d##n, short##n, short_low, short_high)                                                        \
    clhls_saturate(cast, d##n, ushort##n, 0, ushort_high)                                                              \
    clhls_saturate(cast, d##n, int##n, int_low, int_high)                                                              \
    clhls_saturate(cast, d##n, uint##n, 0, uint_high)                                                                  \
    clhls_saturate(cast, d##n, long##n, min, max)                                                                      \
    clhls_saturate(cast, d##n, ulong##n, 0, ulong_high)                                                                \
    clhls_saturate_float(d##n, float##n) clhls_saturate_double(d, n) clhls_saturate_half(d, n)

// Unsigned destination: negative sources become 0.
#define clhls_unsigned(cast, n, d, char_high, uchar_high, short_high, ushort_high, int_high, uint_high, long_high,     \
                       ulong_high)                                                                                     \
    clhls_saturate(cast, d##n, char##n, 0, char_high)                                                                  \
    clhls_saturate(cast, d##n, uchar##n, 0, uchar_high)                                                                \
    clhls_saturate(cast, d##n, short##n, 0, short_high)                                                                \
    clhls_saturate(cast, d##n, ushort##n, 0, ushort_high)                                                              \
    clhls_saturate(cast, d##n, int##n, 0, int_high)                                                                    \
    clhls_saturate(cast, d##n, uint##n, 0, uint_high)                                                                  \
    clhls_saturate(cast, d##n, long##n, 0, long_high)                                                                  \
    clhls_saturate(cast, d##n, ulong##n, 0, ulong_high)                                                                \
    clhls_saturate_float(d##n, float##n) clhls_saturate_double(d, n) clhls_saturate_half(d, n)

#define clhls_all(cast, n)                                                                                             \
    clhls_signed(cast, n, char, CHAR_MIN, CHAR_MAX, CHAR_MIN, CHAR_MAX, CHAR_MAX, CHAR_MIN, CHAR_MAX, CHAR_MAX,        \
                 CHAR_MIN, CHAR_MAX, CHAR_MAX, CHAR_MAX)                                                               \
    clhls_signed(cast, n, short, SHRT_MIN, SHRT_MAX, CHAR_MIN, CHAR_MAX, UCHAR_MAX, SHRT_MIN, SHRT_MAX, SHRT_MAX,      \
                 SHRT_MIN, SHRT_MAX, SHRT_MAX, SHRT_MAX)                                                               \
    clhls_signed(cast, n, int, INT_MIN, INT_MAX, CHAR_MIN, CHAR_MAX, UCHAR_MAX, SHRT_MIN, SHRT_MAX, USHRT_MAX,         \
                 INT_MIN, INT_MAX, INT_MAX, INT_MAX)                                                                   \
    clhls_signed(cast, n, long, LONG_MIN, LONG_MAX, CHAR_MIN, CHAR_MAX, UCHAR_MAX, SHRT_MIN, SHRT_MAX, USHRT_MAX,      \
                 INT_MIN, INT_MAX, UINT_MAX, LONG_MAX)                                                                 \
    clhls_unsigned(cast, n, uchar, CHAR_MAX, UCHAR_MAX, UCHAR_MAX, UCHAR_MAX, UCHAR_MAX, UCHAR_MAX, UCHAR_MAX,         \
                   UCHAR_MAX)                                                                                          \
    clhls_unsigned(cast, n, ushort, CHAR_MAX, UCHAR_MAX, SHRT_MAX, USHRT_MAX, USHRT_MAX, USHRT_MAX, USHRT_MAX,         \
                   USHRT_MAX)                                                                                          \
    clhls_unsigned(cast, n, uint, CHAR_MAX, UCHAR_MAX, SHRT_MAX, USHRT_MAX, INT_MAX, UINT_MAX, UINT_MAX, UINT_MAX)     \
    clhls_unsigned(cast, n, ulong, CHAR_MAX, UCHAR_MAX, SHRT_MAX, USHRT_MAX, INT_MAX, UINT_MAX, LONG_MAX, ULONG_MAX)

clhls_all(clhls_cast_1, )
clhls_all(clhls_cast_n, 2)
clhls_all(clhls_cast_n, 3)
clhls_all(clhls_cast_n, 4)
clhls_all(clhls_cast_n, 8)
clhls_all(clhls_cast_n, 16)

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

#define convert_char(x) clhls_cast_1(x, char)
#define convert_char_sat(x) clhls_convert_char_sat(x)
#define convert_char2(x) clhls_cast_n(x, char2)
#define convert_char2_sat(x) clhls_convert_char2_sat(x)
#define convert_char3(x) clhls_cast_n(x, char3)
#define convert_char3_sat(x) clhls_convert_char3_sat(x)
#define convert_char4(x) clhls_cast_n(x, char4)
#define convert_char4_sat(x) clhls_convert_char4_sat(x)
#define convert_char8(x) clhls_cast_n(x, char8)
#define convert_char8_sat(x) clhls_convert_char8_sat(x)
#define convert_char16(x) clhls_cast_n(x, char16)
#define convert_char16_sat(x) clhls_convert_char16_sat(x)
#define convert_uchar(x) clhls_cast_1(x, uchar)
#define convert_uchar_sat(x) clhls_convert_uchar_sat(x)
#define convert_uchar2(x) clhls_cast_n(x, uchar2)
#define convert_uchar2_sat(x) clhls_convert_uchar2_sat(x)
#define convert_uchar3(x) clhls_cast_n(x, uchar3)
#define convert_uchar3_sat(x) clhls_convert_uchar3_sat(x)
#define convert_uchar4(x) clhls_cast_n(x, uchar4)
#define convert_uchar4_sat(x) clhls_convert_uchar4_sat(x)
#define convert_uchar8(x) clhls_cast_n(x, uchar8)
#define convert_uchar8_sat(x) clhls_convert_uchar8_sat(x)
#define convert_uchar16(x) clhls_cast_n(x, uchar16)
#define convert_uchar16_sat(x) clhls_convert_uchar16_sat(x)
#define convert_short(x) clhls_cast_1(x, short)
#define convert_short_sat(x) clhls_convert_short_sat(x)
#define convert_short2(x) clhls_cast_n(x, short2)
#define convert_short2_sat(x) clhls_convert_short2_sat(x)
#define convert_short3(x) clhls_cast_n(x, short3)
#define convert_short3_sat(x) clhls_convert_short3_sat(x)
#define convert_short4(x) clhls_cast_n(x, short4)
#define convert_short4_sat(x) clhls_convert_short4_sat(x)
#define convert_short8(x) clhls_cast_n(x, short8)
#define convert_short8_sat(x) clhls_convert_short8_sat(x)
#define convert_short16(x) clhls_cast_n(x, short16)
#define convert_short16_sat(x) clhls_convert_short16_sat(x)
#define convert_ushort(x) clhls_cast_1(x, ushort)
#define convert_ushort_sat(x) clhls_convert_ushort_sat(x)
#define convert_ushort2(x) clhls_cast_n(x, ushort2)
#define convert_ushort2_sat(x) clhls_convert_ushort2_sat(x)
#define convert_ushort3(x) clhls_cast_n(x, ushort3)
#define convert_ushort3_sat(x) clhls_convert_ushort3_sat(x)
#define convert_ushort4(x) clhls_cast_n(x, ushort4)
#define convert_ushort4_sat(x) clhls_convert_ushort4_sat(x)
#define convert_ushort8(x) clhls_cast_n(x, ushort8)
#define convert_ushort8_sat(x) clhls_convert_ushort8_sat(x)
#define convert_ushort16(x) clhls_cast_n(x, ushort16)
#define convert_ushort16_sat(x) clhls_convert_ushort16_sat(x)
#define convert_int(x) clhls_cast_1(x, int)
#define convert_int_sat(x) clhls_convert_int_sat(x)
#define convert_int2(x) clhls_cast_n(x, int2)
#define convert_int2_sat(x) clhls_convert_int2_sat(x)
#define convert_int3(x) clhls_cast_n(x, int3)
#define convert_int3_sat(x) clhls_convert_int3_sat(x)
#define convert_int4(x) clhls_cast_n(x, int4)
#define convert_int4_sat(x) clhls_convert_int4_sat(x)
#define convert_int8(x) clhls_cast_n(x, int8)
#define convert_int8_sat(x) clhls_convert_int8_sat(x)
#define convert_int16(x) clhls_cast_n(x, int16)
#define convert_int16_sat(x) clhls_convert_int16_sat(x)
#define convert_uint(x) clhls_cast_1(x, uint)
#define convert_uint_sat(x) clhls_convert_uint_sat(x)
#define convert_uint2(x) clhls_cast_n(x, uint2)
#define convert_uint2_sat(x) clhls_convert_uint2_sat(x)
#define convert_uint3(x) clhls_cast_n(x, uint3)
#define convert_uint3_sat(x) clhls_convert_uint3_sat(x)
#define convert_uint4(x) clhls_cast_n(x, uint4)
#define convert_uint4_sat(x) clhls_convert_uint4_sat(x)
#define convert_uint8(x) clhls_cast_n(x, uint8)
#define convert_uint8_sat(x) clhls_convert_uint8_sat(x)
#define convert_uint16(x) clhls_cast_n(x, uint16)
#define convert_uint16_sat(x) clhls_convert_uint16_sat(x)
#define convert_long(x) clhls_cast_1(x, long)
#define convert_long_sat(x) clhls_convert_long_sat(x)
#define convert_long2(x) clhls_cast_n(x, long2)
#define convert_long2_sat(x) clhls_convert_long2_sat(x)
#define convert_long3(x) clhls_cast_n(x, long3)
#define convert_long3_sat(x) clhls_convert_long3_sat(x)
#define convert_long4(x) clhls_cast_n(x, long4)
#define convert_long4_sat(x) clhls_convert_long4_sat(x)
#define convert_long8(x) clhls_cast_n(x, long8)
#define convert_long8_sat(x) clhls_convert_long8_sat(x)
#define convert_long16(x) clhls_cast_n(x, long16)
#define convert_long16_sat(x) clhls_convert_long16_sat(x)
#define convert_ulong(x) clhls_cast_1(x, ulong)
#define convert_ulong_sat(x) clhls_convert_ulong_sat(x)
#define convert_ulong2(x) clhls_cast_n(x, ulong2)
#define convert_ulong2_sat(x) clhls_convert_ulong2_sat(x)
#define convert_ulong3(x) clhls_cast_n(x, ulong3)
#define convert_ulong3_sat(x) clhls_convert_ulong3_sat(x)
#define convert_ulong4(x) clhls_cast_n(x, ulong4)
#define convert_ulong4_sat(x) clhls_convert_ulong4_sat(x)
#define convert_ulong8(x) clhls_cast_n(x, ulong8)
#define convert_ulong8_sat(x) clhls_convert_ulong8_sat(x)
#define convert_ulong16(x) clhls_cast_n(x, ulong16)
#define convert_ulong16_sat(x) clhls_convert_ulong16_sat(x)

// vloada_half3 becomes the instruction of vload_half3: that has no place between its 3-vectors.
#define vloada_half3(offset, p) vload_half3(0, (p) + 4 * (offset))
