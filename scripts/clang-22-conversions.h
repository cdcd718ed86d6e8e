// Correct integer conversions, vloada_half3(), and images with mip levels, for clang-22 as a producer of SPIR-V.
//
// clang 22's SPIR-V back end lowers convert_T() between integers by the signedness of the destination alone: widening
// uchar to uint becomes OpSConvert, char to int OpUConvert, and every saturating conversion of equal signedness takes
// OpSatConvertUToS or OpSatConvertSToU. Nothing in the module tells the right ones from the wrong ones. Included
// before a kernel (clang-22 -include ...), this header replaces those built-ins by ones that are lowered well:
// convert_T() by clang's own vector conversion, convert_T_sat() of integers by clamping first. With a rounding mode the
// conversions of integers are those without one. Conversions of floating-point values are right and stay as they are.

// OpenCL C before 1.2 has no `static`.
#define clhls_function inline __attribute__((overloadable, always_inline, internal_linkage))
// It also calls OpImageQueryFormat, which counts channel data types from 0, without adding the first of OpenCL's numbers.
#define get_image_channel_data_type(image) (get_image_channel_data_type(image) + 0x10D0)

// It leaves out the level of detail and the gradients that read_image takes, and writes the mip level that write_image takes
// instead of the color. These functions are left as calls, with all arguments. A macro cannot tell `(int2){x, y}` from two
// arguments: so they have the forms without a level, too, and only what has three arguments or less is never one of them.
#if defined(cl_khr_mipmap_image) && __OPENCL_C_VERSION__ >= 200
#define clhls_image_function __attribute__((overloadable))
#define clhls_read(color, name, image, at, int_at, gradient)                                                           \
    color clhls_image_function name(read_only image, sampler_t, at, float);                                            \
    color clhls_image_function name(read_only image, sampler_t, at, gradient, gradient);                               \
    color clhls_image_function name(read_only image, sampler_t, at);                                                   \
    color clhls_image_function name(read_only image, sampler_t, int_at);                                               \
    color clhls_image_function name(read_only image, int_at);                                                          \
    color clhls_image_function name(read_write image, int_at);
#define clhls_write(color, name, image, int_at)                                                                        \
    void clhls_image_function name(write_only image, int_at, int, color);                                              \
    void clhls_image_function name(read_write image, int_at, int, color);                                              \
    void clhls_image_function name(write_only image, int_at, color);                                                   \
    void clhls_image_function name(read_write image, int_at, color);
#define clhls_image(image, at, int_at, gradient)                                                                       \
    clhls_read(float4, clhls_read_imagef, image, at, int_at, gradient)                                                 \
    clhls_read(int4, clhls_read_imagei, image, at, int_at, gradient)                                                   \
    clhls_read(uint4, clhls_read_imageui, image, at, int_at, gradient)                                                 \
    clhls_write(float4, clhls_write_imagef, image, int_at)                                                             \
    clhls_write(int4, clhls_write_imagei, image, int_at)                                                               \
    clhls_write(uint4, clhls_write_imageui, image, int_at)
#define clhls_depth_image(image, at, int_at)                                                                           \
    clhls_read(float, clhls_read_imagef, image, at, int_at, float2)                                                    \
    clhls_write(float, clhls_write_imagef, image, int_at)
clhls_image(image1d_t, float, int, float)
clhls_image(image1d_array_t, float2, int2, float)
clhls_image(image2d_t, float2, int2, float2)
clhls_image(image2d_array_t, float4, int4, float2)
clhls_image(image3d_t, float4, int4, float4)
clhls_depth_image(image2d_depth_t, float2, int2)
clhls_depth_image(image2d_array_depth_t, float4, int4)
// The function for as many arguments as there are: `plain` for up to three of them, else `other`.
#define clhls_by_count(plain, other, ...)                                                                              \
    clhls_twelfth(__VA_ARGS__, other, other, other, other, other, other, other, other, plain, plain, plain, )
#define clhls_twelfth(a, b, c, d, e, f, g, h, i, j, k, l, ...) l
#define read_imagef(...) clhls_by_count(read_imagef, clhls_read_imagef, __VA_ARGS__)(__VA_ARGS__)
#define read_imagei(...) clhls_by_count(read_imagei, clhls_read_imagei, __VA_ARGS__)(__VA_ARGS__)
#define read_imageui(...) clhls_by_count(read_imageui, clhls_read_imageui, __VA_ARGS__)(__VA_ARGS__)
#define write_imagef(...) clhls_by_count(write_imagef, clhls_write_imagef, __VA_ARGS__)(__VA_ARGS__)
#define write_imagei(...) clhls_by_count(write_imagei, clhls_write_imagei, __VA_ARGS__)(__VA_ARGS__)
#define write_imageui(...) clhls_by_count(write_imageui, clhls_write_imageui, __VA_ARGS__)(__VA_ARGS__)
#endif

// CLK_NULL_RESERVE_ID is a constant of a type of which the back end has none: the compiler crashes. Memory has it.
#ifdef CLK_NULL_RESERVE_ID
#undef CLK_NULL_RESERVE_ID
#define CLK_NULL_RESERVE_ID clhls_null_reserve_id()
clhls_function reserve_id_t clhls_null_reserve_id(void)
{
    volatile ulong zero = 0;
    return *(volatile reserve_id_t *)&zero;
}
#endif

// Converts X by the rules of a C cast, element by element.
#define clhls_cast_1(x, type) ((type)(x))
#define clhls_cast_n(x, type) __builtin_convertvector(x, type)

// Saturation from S to D: to the bounds that both have. CLAMP_LOW and CLAMP_HIGH are values of S.
#define clhls_saturate(cast, d, s, low, high)                                                                          \
    clhls_function d clhls_convert_##d##_sat(s x)                                                                      \
    {                                                                                                                  \
        return cast(clamp(x, (s)(low), (s)(high)), d);                                                                 \
    }
// A floating-point source: the built-in function.
#define clhls_saturate_float(d, s)                                                                                     \
    clhls_function d clhls_convert_##d##_sat(s x)                                                                      \
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

// These functions are what takes long to compile. Whoever knows that a program does not saturate vectors of a length can
// leave them out.
#ifndef CLHLS_NO_SATURATION_1
clhls_all(clhls_cast_1, )
#endif
#ifndef CLHLS_NO_SATURATION_2
clhls_all(clhls_cast_n, 2)
#endif
#ifndef CLHLS_NO_SATURATION_3
clhls_all(clhls_cast_n, 3)
#endif
#ifndef CLHLS_NO_SATURATION_4
clhls_all(clhls_cast_n, 4)
#endif
#ifndef CLHLS_NO_SATURATION_8
clhls_all(clhls_cast_n, 8)
#endif
#ifndef CLHLS_NO_SATURATION_16
clhls_all(clhls_cast_n, 16)
#endif

// Size 1 for integers, 2 for floating-point values; declared only.
#define clhls_class_of(s, size) size __attribute__((overloadable)) clhls_class(s x);
#define clhls_classes(n)                                                                                               \
    clhls_class_of(char##n, char) clhls_class_of(uchar##n, char) clhls_class_of(short##n, char)                        \
    clhls_class_of(ushort##n, char) clhls_class_of(int##n, char) clhls_class_of(uint##n, char)                         \
    clhls_class_of(long##n, char) clhls_class_of(ulong##n, char) clhls_class_of(float##n, short)
clhls_classes()
clhls_classes(2)
clhls_classes(3)
clhls_classes(4)
clhls_classes(8)
clhls_classes(16)
#ifdef cl_khr_fp64
clhls_class_of(double, short) clhls_class_of(double2, short) clhls_class_of(double3, short)
clhls_class_of(double4, short) clhls_class_of(double8, short) clhls_class_of(double16, short)
#endif
#ifdef cl_khr_fp16
clhls_class_of(half, short) clhls_class_of(half2, short) clhls_class_of(half3, short)
clhls_class_of(half4, short) clhls_class_of(half8, short) clhls_class_of(half16, short)
#endif

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
#endif

// A floating-point x by the built-in function, an integer without its rounding mode.
#define clhls_rounded(x, builtin, plain) __builtin_choose_expr(sizeof(clhls_class(x)) == 2, builtin(x), plain(x))

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

// Names of macros are not replaced in their own replacement: the built-in functions stay.
#define convert_char_rte(x) clhls_rounded(x, convert_char_rte, convert_char)
#define convert_char_rtz(x) clhls_rounded(x, convert_char_rtz, convert_char)
#define convert_char_rtp(x) clhls_rounded(x, convert_char_rtp, convert_char)
#define convert_char_rtn(x) clhls_rounded(x, convert_char_rtn, convert_char)
#define convert_char_sat_rte(x) clhls_rounded(x, convert_char_sat_rte, convert_char_sat)
#define convert_char_sat_rtz(x) clhls_rounded(x, convert_char_sat_rtz, convert_char_sat)
#define convert_char_sat_rtp(x) clhls_rounded(x, convert_char_sat_rtp, convert_char_sat)
#define convert_char_sat_rtn(x) clhls_rounded(x, convert_char_sat_rtn, convert_char_sat)
#define convert_char2_rte(x) clhls_rounded(x, convert_char2_rte, convert_char2)
#define convert_char2_rtz(x) clhls_rounded(x, convert_char2_rtz, convert_char2)
#define convert_char2_rtp(x) clhls_rounded(x, convert_char2_rtp, convert_char2)
#define convert_char2_rtn(x) clhls_rounded(x, convert_char2_rtn, convert_char2)
#define convert_char2_sat_rte(x) clhls_rounded(x, convert_char2_sat_rte, convert_char2_sat)
#define convert_char2_sat_rtz(x) clhls_rounded(x, convert_char2_sat_rtz, convert_char2_sat)
#define convert_char2_sat_rtp(x) clhls_rounded(x, convert_char2_sat_rtp, convert_char2_sat)
#define convert_char2_sat_rtn(x) clhls_rounded(x, convert_char2_sat_rtn, convert_char2_sat)
#define convert_char3_rte(x) clhls_rounded(x, convert_char3_rte, convert_char3)
#define convert_char3_rtz(x) clhls_rounded(x, convert_char3_rtz, convert_char3)
#define convert_char3_rtp(x) clhls_rounded(x, convert_char3_rtp, convert_char3)
#define convert_char3_rtn(x) clhls_rounded(x, convert_char3_rtn, convert_char3)
#define convert_char3_sat_rte(x) clhls_rounded(x, convert_char3_sat_rte, convert_char3_sat)
#define convert_char3_sat_rtz(x) clhls_rounded(x, convert_char3_sat_rtz, convert_char3_sat)
#define convert_char3_sat_rtp(x) clhls_rounded(x, convert_char3_sat_rtp, convert_char3_sat)
#define convert_char3_sat_rtn(x) clhls_rounded(x, convert_char3_sat_rtn, convert_char3_sat)
#define convert_char4_rte(x) clhls_rounded(x, convert_char4_rte, convert_char4)
#define convert_char4_rtz(x) clhls_rounded(x, convert_char4_rtz, convert_char4)
#define convert_char4_rtp(x) clhls_rounded(x, convert_char4_rtp, convert_char4)
#define convert_char4_rtn(x) clhls_rounded(x, convert_char4_rtn, convert_char4)
#define convert_char4_sat_rte(x) clhls_rounded(x, convert_char4_sat_rte, convert_char4_sat)
#define convert_char4_sat_rtz(x) clhls_rounded(x, convert_char4_sat_rtz, convert_char4_sat)
#define convert_char4_sat_rtp(x) clhls_rounded(x, convert_char4_sat_rtp, convert_char4_sat)
#define convert_char4_sat_rtn(x) clhls_rounded(x, convert_char4_sat_rtn, convert_char4_sat)
#define convert_char8_rte(x) clhls_rounded(x, convert_char8_rte, convert_char8)
#define convert_char8_rtz(x) clhls_rounded(x, convert_char8_rtz, convert_char8)
#define convert_char8_rtp(x) clhls_rounded(x, convert_char8_rtp, convert_char8)
#define convert_char8_rtn(x) clhls_rounded(x, convert_char8_rtn, convert_char8)
#define convert_char8_sat_rte(x) clhls_rounded(x, convert_char8_sat_rte, convert_char8_sat)
#define convert_char8_sat_rtz(x) clhls_rounded(x, convert_char8_sat_rtz, convert_char8_sat)
#define convert_char8_sat_rtp(x) clhls_rounded(x, convert_char8_sat_rtp, convert_char8_sat)
#define convert_char8_sat_rtn(x) clhls_rounded(x, convert_char8_sat_rtn, convert_char8_sat)
#define convert_char16_rte(x) clhls_rounded(x, convert_char16_rte, convert_char16)
#define convert_char16_rtz(x) clhls_rounded(x, convert_char16_rtz, convert_char16)
#define convert_char16_rtp(x) clhls_rounded(x, convert_char16_rtp, convert_char16)
#define convert_char16_rtn(x) clhls_rounded(x, convert_char16_rtn, convert_char16)
#define convert_char16_sat_rte(x) clhls_rounded(x, convert_char16_sat_rte, convert_char16_sat)
#define convert_char16_sat_rtz(x) clhls_rounded(x, convert_char16_sat_rtz, convert_char16_sat)
#define convert_char16_sat_rtp(x) clhls_rounded(x, convert_char16_sat_rtp, convert_char16_sat)
#define convert_char16_sat_rtn(x) clhls_rounded(x, convert_char16_sat_rtn, convert_char16_sat)
#define convert_uchar_rte(x) clhls_rounded(x, convert_uchar_rte, convert_uchar)
#define convert_uchar_rtz(x) clhls_rounded(x, convert_uchar_rtz, convert_uchar)
#define convert_uchar_rtp(x) clhls_rounded(x, convert_uchar_rtp, convert_uchar)
#define convert_uchar_rtn(x) clhls_rounded(x, convert_uchar_rtn, convert_uchar)
#define convert_uchar_sat_rte(x) clhls_rounded(x, convert_uchar_sat_rte, convert_uchar_sat)
#define convert_uchar_sat_rtz(x) clhls_rounded(x, convert_uchar_sat_rtz, convert_uchar_sat)
#define convert_uchar_sat_rtp(x) clhls_rounded(x, convert_uchar_sat_rtp, convert_uchar_sat)
#define convert_uchar_sat_rtn(x) clhls_rounded(x, convert_uchar_sat_rtn, convert_uchar_sat)
#define convert_uchar2_rte(x) clhls_rounded(x, convert_uchar2_rte, convert_uchar2)
#define convert_uchar2_rtz(x) clhls_rounded(x, convert_uchar2_rtz, convert_uchar2)
#define convert_uchar2_rtp(x) clhls_rounded(x, convert_uchar2_rtp, convert_uchar2)
#define convert_uchar2_rtn(x) clhls_rounded(x, convert_uchar2_rtn, convert_uchar2)
#define convert_uchar2_sat_rte(x) clhls_rounded(x, convert_uchar2_sat_rte, convert_uchar2_sat)
#define convert_uchar2_sat_rtz(x) clhls_rounded(x, convert_uchar2_sat_rtz, convert_uchar2_sat)
#define convert_uchar2_sat_rtp(x) clhls_rounded(x, convert_uchar2_sat_rtp, convert_uchar2_sat)
#define convert_uchar2_sat_rtn(x) clhls_rounded(x, convert_uchar2_sat_rtn, convert_uchar2_sat)
#define convert_uchar3_rte(x) clhls_rounded(x, convert_uchar3_rte, convert_uchar3)
#define convert_uchar3_rtz(x) clhls_rounded(x, convert_uchar3_rtz, convert_uchar3)
#define convert_uchar3_rtp(x) clhls_rounded(x, convert_uchar3_rtp, convert_uchar3)
#define convert_uchar3_rtn(x) clhls_rounded(x, convert_uchar3_rtn, convert_uchar3)
#define convert_uchar3_sat_rte(x) clhls_rounded(x, convert_uchar3_sat_rte, convert_uchar3_sat)
#define convert_uchar3_sat_rtz(x) clhls_rounded(x, convert_uchar3_sat_rtz, convert_uchar3_sat)
#define convert_uchar3_sat_rtp(x) clhls_rounded(x, convert_uchar3_sat_rtp, convert_uchar3_sat)
#define convert_uchar3_sat_rtn(x) clhls_rounded(x, convert_uchar3_sat_rtn, convert_uchar3_sat)
#define convert_uchar4_rte(x) clhls_rounded(x, convert_uchar4_rte, convert_uchar4)
#define convert_uchar4_rtz(x) clhls_rounded(x, convert_uchar4_rtz, convert_uchar4)
#define convert_uchar4_rtp(x) clhls_rounded(x, convert_uchar4_rtp, convert_uchar4)
#define convert_uchar4_rtn(x) clhls_rounded(x, convert_uchar4_rtn, convert_uchar4)
#define convert_uchar4_sat_rte(x) clhls_rounded(x, convert_uchar4_sat_rte, convert_uchar4_sat)
#define convert_uchar4_sat_rtz(x) clhls_rounded(x, convert_uchar4_sat_rtz, convert_uchar4_sat)
#define convert_uchar4_sat_rtp(x) clhls_rounded(x, convert_uchar4_sat_rtp, convert_uchar4_sat)
#define convert_uchar4_sat_rtn(x) clhls_rounded(x, convert_uchar4_sat_rtn, convert_uchar4_sat)
#define convert_uchar8_rte(x) clhls_rounded(x, convert_uchar8_rte, convert_uchar8)
#define convert_uchar8_rtz(x) clhls_rounded(x, convert_uchar8_rtz, convert_uchar8)
#define convert_uchar8_rtp(x) clhls_rounded(x, convert_uchar8_rtp, convert_uchar8)
#define convert_uchar8_rtn(x) clhls_rounded(x, convert_uchar8_rtn, convert_uchar8)
#define convert_uchar8_sat_rte(x) clhls_rounded(x, convert_uchar8_sat_rte, convert_uchar8_sat)
#define convert_uchar8_sat_rtz(x) clhls_rounded(x, convert_uchar8_sat_rtz, convert_uchar8_sat)
#define convert_uchar8_sat_rtp(x) clhls_rounded(x, convert_uchar8_sat_rtp, convert_uchar8_sat)
#define convert_uchar8_sat_rtn(x) clhls_rounded(x, convert_uchar8_sat_rtn, convert_uchar8_sat)
#define convert_uchar16_rte(x) clhls_rounded(x, convert_uchar16_rte, convert_uchar16)
#define convert_uchar16_rtz(x) clhls_rounded(x, convert_uchar16_rtz, convert_uchar16)
#define convert_uchar16_rtp(x) clhls_rounded(x, convert_uchar16_rtp, convert_uchar16)
#define convert_uchar16_rtn(x) clhls_rounded(x, convert_uchar16_rtn, convert_uchar16)
#define convert_uchar16_sat_rte(x) clhls_rounded(x, convert_uchar16_sat_rte, convert_uchar16_sat)
#define convert_uchar16_sat_rtz(x) clhls_rounded(x, convert_uchar16_sat_rtz, convert_uchar16_sat)
#define convert_uchar16_sat_rtp(x) clhls_rounded(x, convert_uchar16_sat_rtp, convert_uchar16_sat)
#define convert_uchar16_sat_rtn(x) clhls_rounded(x, convert_uchar16_sat_rtn, convert_uchar16_sat)
#define convert_short_rte(x) clhls_rounded(x, convert_short_rte, convert_short)
#define convert_short_rtz(x) clhls_rounded(x, convert_short_rtz, convert_short)
#define convert_short_rtp(x) clhls_rounded(x, convert_short_rtp, convert_short)
#define convert_short_rtn(x) clhls_rounded(x, convert_short_rtn, convert_short)
#define convert_short_sat_rte(x) clhls_rounded(x, convert_short_sat_rte, convert_short_sat)
#define convert_short_sat_rtz(x) clhls_rounded(x, convert_short_sat_rtz, convert_short_sat)
#define convert_short_sat_rtp(x) clhls_rounded(x, convert_short_sat_rtp, convert_short_sat)
#define convert_short_sat_rtn(x) clhls_rounded(x, convert_short_sat_rtn, convert_short_sat)
#define convert_short2_rte(x) clhls_rounded(x, convert_short2_rte, convert_short2)
#define convert_short2_rtz(x) clhls_rounded(x, convert_short2_rtz, convert_short2)
#define convert_short2_rtp(x) clhls_rounded(x, convert_short2_rtp, convert_short2)
#define convert_short2_rtn(x) clhls_rounded(x, convert_short2_rtn, convert_short2)
#define convert_short2_sat_rte(x) clhls_rounded(x, convert_short2_sat_rte, convert_short2_sat)
#define convert_short2_sat_rtz(x) clhls_rounded(x, convert_short2_sat_rtz, convert_short2_sat)
#define convert_short2_sat_rtp(x) clhls_rounded(x, convert_short2_sat_rtp, convert_short2_sat)
#define convert_short2_sat_rtn(x) clhls_rounded(x, convert_short2_sat_rtn, convert_short2_sat)
#define convert_short3_rte(x) clhls_rounded(x, convert_short3_rte, convert_short3)
#define convert_short3_rtz(x) clhls_rounded(x, convert_short3_rtz, convert_short3)
#define convert_short3_rtp(x) clhls_rounded(x, convert_short3_rtp, convert_short3)
#define convert_short3_rtn(x) clhls_rounded(x, convert_short3_rtn, convert_short3)
#define convert_short3_sat_rte(x) clhls_rounded(x, convert_short3_sat_rte, convert_short3_sat)
#define convert_short3_sat_rtz(x) clhls_rounded(x, convert_short3_sat_rtz, convert_short3_sat)
#define convert_short3_sat_rtp(x) clhls_rounded(x, convert_short3_sat_rtp, convert_short3_sat)
#define convert_short3_sat_rtn(x) clhls_rounded(x, convert_short3_sat_rtn, convert_short3_sat)
#define convert_short4_rte(x) clhls_rounded(x, convert_short4_rte, convert_short4)
#define convert_short4_rtz(x) clhls_rounded(x, convert_short4_rtz, convert_short4)
#define convert_short4_rtp(x) clhls_rounded(x, convert_short4_rtp, convert_short4)
#define convert_short4_rtn(x) clhls_rounded(x, convert_short4_rtn, convert_short4)
#define convert_short4_sat_rte(x) clhls_rounded(x, convert_short4_sat_rte, convert_short4_sat)
#define convert_short4_sat_rtz(x) clhls_rounded(x, convert_short4_sat_rtz, convert_short4_sat)
#define convert_short4_sat_rtp(x) clhls_rounded(x, convert_short4_sat_rtp, convert_short4_sat)
#define convert_short4_sat_rtn(x) clhls_rounded(x, convert_short4_sat_rtn, convert_short4_sat)
#define convert_short8_rte(x) clhls_rounded(x, convert_short8_rte, convert_short8)
#define convert_short8_rtz(x) clhls_rounded(x, convert_short8_rtz, convert_short8)
#define convert_short8_rtp(x) clhls_rounded(x, convert_short8_rtp, convert_short8)
#define convert_short8_rtn(x) clhls_rounded(x, convert_short8_rtn, convert_short8)
#define convert_short8_sat_rte(x) clhls_rounded(x, convert_short8_sat_rte, convert_short8_sat)
#define convert_short8_sat_rtz(x) clhls_rounded(x, convert_short8_sat_rtz, convert_short8_sat)
#define convert_short8_sat_rtp(x) clhls_rounded(x, convert_short8_sat_rtp, convert_short8_sat)
#define convert_short8_sat_rtn(x) clhls_rounded(x, convert_short8_sat_rtn, convert_short8_sat)
#define convert_short16_rte(x) clhls_rounded(x, convert_short16_rte, convert_short16)
#define convert_short16_rtz(x) clhls_rounded(x, convert_short16_rtz, convert_short16)
#define convert_short16_rtp(x) clhls_rounded(x, convert_short16_rtp, convert_short16)
#define convert_short16_rtn(x) clhls_rounded(x, convert_short16_rtn, convert_short16)
#define convert_short16_sat_rte(x) clhls_rounded(x, convert_short16_sat_rte, convert_short16_sat)
#define convert_short16_sat_rtz(x) clhls_rounded(x, convert_short16_sat_rtz, convert_short16_sat)
#define convert_short16_sat_rtp(x) clhls_rounded(x, convert_short16_sat_rtp, convert_short16_sat)
#define convert_short16_sat_rtn(x) clhls_rounded(x, convert_short16_sat_rtn, convert_short16_sat)
#define convert_ushort_rte(x) clhls_rounded(x, convert_ushort_rte, convert_ushort)
#define convert_ushort_rtz(x) clhls_rounded(x, convert_ushort_rtz, convert_ushort)
#define convert_ushort_rtp(x) clhls_rounded(x, convert_ushort_rtp, convert_ushort)
#define convert_ushort_rtn(x) clhls_rounded(x, convert_ushort_rtn, convert_ushort)
#define convert_ushort_sat_rte(x) clhls_rounded(x, convert_ushort_sat_rte, convert_ushort_sat)
#define convert_ushort_sat_rtz(x) clhls_rounded(x, convert_ushort_sat_rtz, convert_ushort_sat)
#define convert_ushort_sat_rtp(x) clhls_rounded(x, convert_ushort_sat_rtp, convert_ushort_sat)
#define convert_ushort_sat_rtn(x) clhls_rounded(x, convert_ushort_sat_rtn, convert_ushort_sat)
#define convert_ushort2_rte(x) clhls_rounded(x, convert_ushort2_rte, convert_ushort2)
#define convert_ushort2_rtz(x) clhls_rounded(x, convert_ushort2_rtz, convert_ushort2)
#define convert_ushort2_rtp(x) clhls_rounded(x, convert_ushort2_rtp, convert_ushort2)
#define convert_ushort2_rtn(x) clhls_rounded(x, convert_ushort2_rtn, convert_ushort2)
#define convert_ushort2_sat_rte(x) clhls_rounded(x, convert_ushort2_sat_rte, convert_ushort2_sat)
#define convert_ushort2_sat_rtz(x) clhls_rounded(x, convert_ushort2_sat_rtz, convert_ushort2_sat)
#define convert_ushort2_sat_rtp(x) clhls_rounded(x, convert_ushort2_sat_rtp, convert_ushort2_sat)
#define convert_ushort2_sat_rtn(x) clhls_rounded(x, convert_ushort2_sat_rtn, convert_ushort2_sat)
#define convert_ushort3_rte(x) clhls_rounded(x, convert_ushort3_rte, convert_ushort3)
#define convert_ushort3_rtz(x) clhls_rounded(x, convert_ushort3_rtz, convert_ushort3)
#define convert_ushort3_rtp(x) clhls_rounded(x, convert_ushort3_rtp, convert_ushort3)
#define convert_ushort3_rtn(x) clhls_rounded(x, convert_ushort3_rtn, convert_ushort3)
#define convert_ushort3_sat_rte(x) clhls_rounded(x, convert_ushort3_sat_rte, convert_ushort3_sat)
#define convert_ushort3_sat_rtz(x) clhls_rounded(x, convert_ushort3_sat_rtz, convert_ushort3_sat)
#define convert_ushort3_sat_rtp(x) clhls_rounded(x, convert_ushort3_sat_rtp, convert_ushort3_sat)
#define convert_ushort3_sat_rtn(x) clhls_rounded(x, convert_ushort3_sat_rtn, convert_ushort3_sat)
#define convert_ushort4_rte(x) clhls_rounded(x, convert_ushort4_rte, convert_ushort4)
#define convert_ushort4_rtz(x) clhls_rounded(x, convert_ushort4_rtz, convert_ushort4)
#define convert_ushort4_rtp(x) clhls_rounded(x, convert_ushort4_rtp, convert_ushort4)
#define convert_ushort4_rtn(x) clhls_rounded(x, convert_ushort4_rtn, convert_ushort4)
#define convert_ushort4_sat_rte(x) clhls_rounded(x, convert_ushort4_sat_rte, convert_ushort4_sat)
#define convert_ushort4_sat_rtz(x) clhls_rounded(x, convert_ushort4_sat_rtz, convert_ushort4_sat)
#define convert_ushort4_sat_rtp(x) clhls_rounded(x, convert_ushort4_sat_rtp, convert_ushort4_sat)
#define convert_ushort4_sat_rtn(x) clhls_rounded(x, convert_ushort4_sat_rtn, convert_ushort4_sat)
#define convert_ushort8_rte(x) clhls_rounded(x, convert_ushort8_rte, convert_ushort8)
#define convert_ushort8_rtz(x) clhls_rounded(x, convert_ushort8_rtz, convert_ushort8)
#define convert_ushort8_rtp(x) clhls_rounded(x, convert_ushort8_rtp, convert_ushort8)
#define convert_ushort8_rtn(x) clhls_rounded(x, convert_ushort8_rtn, convert_ushort8)
#define convert_ushort8_sat_rte(x) clhls_rounded(x, convert_ushort8_sat_rte, convert_ushort8_sat)
#define convert_ushort8_sat_rtz(x) clhls_rounded(x, convert_ushort8_sat_rtz, convert_ushort8_sat)
#define convert_ushort8_sat_rtp(x) clhls_rounded(x, convert_ushort8_sat_rtp, convert_ushort8_sat)
#define convert_ushort8_sat_rtn(x) clhls_rounded(x, convert_ushort8_sat_rtn, convert_ushort8_sat)
#define convert_ushort16_rte(x) clhls_rounded(x, convert_ushort16_rte, convert_ushort16)
#define convert_ushort16_rtz(x) clhls_rounded(x, convert_ushort16_rtz, convert_ushort16)
#define convert_ushort16_rtp(x) clhls_rounded(x, convert_ushort16_rtp, convert_ushort16)
#define convert_ushort16_rtn(x) clhls_rounded(x, convert_ushort16_rtn, convert_ushort16)
#define convert_ushort16_sat_rte(x) clhls_rounded(x, convert_ushort16_sat_rte, convert_ushort16_sat)
#define convert_ushort16_sat_rtz(x) clhls_rounded(x, convert_ushort16_sat_rtz, convert_ushort16_sat)
#define convert_ushort16_sat_rtp(x) clhls_rounded(x, convert_ushort16_sat_rtp, convert_ushort16_sat)
#define convert_ushort16_sat_rtn(x) clhls_rounded(x, convert_ushort16_sat_rtn, convert_ushort16_sat)
#define convert_int_rte(x) clhls_rounded(x, convert_int_rte, convert_int)
#define convert_int_rtz(x) clhls_rounded(x, convert_int_rtz, convert_int)
#define convert_int_rtp(x) clhls_rounded(x, convert_int_rtp, convert_int)
#define convert_int_rtn(x) clhls_rounded(x, convert_int_rtn, convert_int)
#define convert_int_sat_rte(x) clhls_rounded(x, convert_int_sat_rte, convert_int_sat)
#define convert_int_sat_rtz(x) clhls_rounded(x, convert_int_sat_rtz, convert_int_sat)
#define convert_int_sat_rtp(x) clhls_rounded(x, convert_int_sat_rtp, convert_int_sat)
#define convert_int_sat_rtn(x) clhls_rounded(x, convert_int_sat_rtn, convert_int_sat)
#define convert_int2_rte(x) clhls_rounded(x, convert_int2_rte, convert_int2)
#define convert_int2_rtz(x) clhls_rounded(x, convert_int2_rtz, convert_int2)
#define convert_int2_rtp(x) clhls_rounded(x, convert_int2_rtp, convert_int2)
#define convert_int2_rtn(x) clhls_rounded(x, convert_int2_rtn, convert_int2)
#define convert_int2_sat_rte(x) clhls_rounded(x, convert_int2_sat_rte, convert_int2_sat)
#define convert_int2_sat_rtz(x) clhls_rounded(x, convert_int2_sat_rtz, convert_int2_sat)
#define convert_int2_sat_rtp(x) clhls_rounded(x, convert_int2_sat_rtp, convert_int2_sat)
#define convert_int2_sat_rtn(x) clhls_rounded(x, convert_int2_sat_rtn, convert_int2_sat)
#define convert_int3_rte(x) clhls_rounded(x, convert_int3_rte, convert_int3)
#define convert_int3_rtz(x) clhls_rounded(x, convert_int3_rtz, convert_int3)
#define convert_int3_rtp(x) clhls_rounded(x, convert_int3_rtp, convert_int3)
#define convert_int3_rtn(x) clhls_rounded(x, convert_int3_rtn, convert_int3)
#define convert_int3_sat_rte(x) clhls_rounded(x, convert_int3_sat_rte, convert_int3_sat)
#define convert_int3_sat_rtz(x) clhls_rounded(x, convert_int3_sat_rtz, convert_int3_sat)
#define convert_int3_sat_rtp(x) clhls_rounded(x, convert_int3_sat_rtp, convert_int3_sat)
#define convert_int3_sat_rtn(x) clhls_rounded(x, convert_int3_sat_rtn, convert_int3_sat)
#define convert_int4_rte(x) clhls_rounded(x, convert_int4_rte, convert_int4)
#define convert_int4_rtz(x) clhls_rounded(x, convert_int4_rtz, convert_int4)
#define convert_int4_rtp(x) clhls_rounded(x, convert_int4_rtp, convert_int4)
#define convert_int4_rtn(x) clhls_rounded(x, convert_int4_rtn, convert_int4)
#define convert_int4_sat_rte(x) clhls_rounded(x, convert_int4_sat_rte, convert_int4_sat)
#define convert_int4_sat_rtz(x) clhls_rounded(x, convert_int4_sat_rtz, convert_int4_sat)
#define convert_int4_sat_rtp(x) clhls_rounded(x, convert_int4_sat_rtp, convert_int4_sat)
#define convert_int4_sat_rtn(x) clhls_rounded(x, convert_int4_sat_rtn, convert_int4_sat)
#define convert_int8_rte(x) clhls_rounded(x, convert_int8_rte, convert_int8)
#define convert_int8_rtz(x) clhls_rounded(x, convert_int8_rtz, convert_int8)
#define convert_int8_rtp(x) clhls_rounded(x, convert_int8_rtp, convert_int8)
#define convert_int8_rtn(x) clhls_rounded(x, convert_int8_rtn, convert_int8)
#define convert_int8_sat_rte(x) clhls_rounded(x, convert_int8_sat_rte, convert_int8_sat)
#define convert_int8_sat_rtz(x) clhls_rounded(x, convert_int8_sat_rtz, convert_int8_sat)
#define convert_int8_sat_rtp(x) clhls_rounded(x, convert_int8_sat_rtp, convert_int8_sat)
#define convert_int8_sat_rtn(x) clhls_rounded(x, convert_int8_sat_rtn, convert_int8_sat)
#define convert_int16_rte(x) clhls_rounded(x, convert_int16_rte, convert_int16)
#define convert_int16_rtz(x) clhls_rounded(x, convert_int16_rtz, convert_int16)
#define convert_int16_rtp(x) clhls_rounded(x, convert_int16_rtp, convert_int16)
#define convert_int16_rtn(x) clhls_rounded(x, convert_int16_rtn, convert_int16)
#define convert_int16_sat_rte(x) clhls_rounded(x, convert_int16_sat_rte, convert_int16_sat)
#define convert_int16_sat_rtz(x) clhls_rounded(x, convert_int16_sat_rtz, convert_int16_sat)
#define convert_int16_sat_rtp(x) clhls_rounded(x, convert_int16_sat_rtp, convert_int16_sat)
#define convert_int16_sat_rtn(x) clhls_rounded(x, convert_int16_sat_rtn, convert_int16_sat)
#define convert_uint_rte(x) clhls_rounded(x, convert_uint_rte, convert_uint)
#define convert_uint_rtz(x) clhls_rounded(x, convert_uint_rtz, convert_uint)
#define convert_uint_rtp(x) clhls_rounded(x, convert_uint_rtp, convert_uint)
#define convert_uint_rtn(x) clhls_rounded(x, convert_uint_rtn, convert_uint)
#define convert_uint_sat_rte(x) clhls_rounded(x, convert_uint_sat_rte, convert_uint_sat)
#define convert_uint_sat_rtz(x) clhls_rounded(x, convert_uint_sat_rtz, convert_uint_sat)
#define convert_uint_sat_rtp(x) clhls_rounded(x, convert_uint_sat_rtp, convert_uint_sat)
#define convert_uint_sat_rtn(x) clhls_rounded(x, convert_uint_sat_rtn, convert_uint_sat)
#define convert_uint2_rte(x) clhls_rounded(x, convert_uint2_rte, convert_uint2)
#define convert_uint2_rtz(x) clhls_rounded(x, convert_uint2_rtz, convert_uint2)
#define convert_uint2_rtp(x) clhls_rounded(x, convert_uint2_rtp, convert_uint2)
#define convert_uint2_rtn(x) clhls_rounded(x, convert_uint2_rtn, convert_uint2)
#define convert_uint2_sat_rte(x) clhls_rounded(x, convert_uint2_sat_rte, convert_uint2_sat)
#define convert_uint2_sat_rtz(x) clhls_rounded(x, convert_uint2_sat_rtz, convert_uint2_sat)
#define convert_uint2_sat_rtp(x) clhls_rounded(x, convert_uint2_sat_rtp, convert_uint2_sat)
#define convert_uint2_sat_rtn(x) clhls_rounded(x, convert_uint2_sat_rtn, convert_uint2_sat)
#define convert_uint3_rte(x) clhls_rounded(x, convert_uint3_rte, convert_uint3)
#define convert_uint3_rtz(x) clhls_rounded(x, convert_uint3_rtz, convert_uint3)
#define convert_uint3_rtp(x) clhls_rounded(x, convert_uint3_rtp, convert_uint3)
#define convert_uint3_rtn(x) clhls_rounded(x, convert_uint3_rtn, convert_uint3)
#define convert_uint3_sat_rte(x) clhls_rounded(x, convert_uint3_sat_rte, convert_uint3_sat)
#define convert_uint3_sat_rtz(x) clhls_rounded(x, convert_uint3_sat_rtz, convert_uint3_sat)
#define convert_uint3_sat_rtp(x) clhls_rounded(x, convert_uint3_sat_rtp, convert_uint3_sat)
#define convert_uint3_sat_rtn(x) clhls_rounded(x, convert_uint3_sat_rtn, convert_uint3_sat)
#define convert_uint4_rte(x) clhls_rounded(x, convert_uint4_rte, convert_uint4)
#define convert_uint4_rtz(x) clhls_rounded(x, convert_uint4_rtz, convert_uint4)
#define convert_uint4_rtp(x) clhls_rounded(x, convert_uint4_rtp, convert_uint4)
#define convert_uint4_rtn(x) clhls_rounded(x, convert_uint4_rtn, convert_uint4)
#define convert_uint4_sat_rte(x) clhls_rounded(x, convert_uint4_sat_rte, convert_uint4_sat)
#define convert_uint4_sat_rtz(x) clhls_rounded(x, convert_uint4_sat_rtz, convert_uint4_sat)
#define convert_uint4_sat_rtp(x) clhls_rounded(x, convert_uint4_sat_rtp, convert_uint4_sat)
#define convert_uint4_sat_rtn(x) clhls_rounded(x, convert_uint4_sat_rtn, convert_uint4_sat)
#define convert_uint8_rte(x) clhls_rounded(x, convert_uint8_rte, convert_uint8)
#define convert_uint8_rtz(x) clhls_rounded(x, convert_uint8_rtz, convert_uint8)
#define convert_uint8_rtp(x) clhls_rounded(x, convert_uint8_rtp, convert_uint8)
#define convert_uint8_rtn(x) clhls_rounded(x, convert_uint8_rtn, convert_uint8)
#define convert_uint8_sat_rte(x) clhls_rounded(x, convert_uint8_sat_rte, convert_uint8_sat)
#define convert_uint8_sat_rtz(x) clhls_rounded(x, convert_uint8_sat_rtz, convert_uint8_sat)
#define convert_uint8_sat_rtp(x) clhls_rounded(x, convert_uint8_sat_rtp, convert_uint8_sat)
#define convert_uint8_sat_rtn(x) clhls_rounded(x, convert_uint8_sat_rtn, convert_uint8_sat)
#define convert_uint16_rte(x) clhls_rounded(x, convert_uint16_rte, convert_uint16)
#define convert_uint16_rtz(x) clhls_rounded(x, convert_uint16_rtz, convert_uint16)
#define convert_uint16_rtp(x) clhls_rounded(x, convert_uint16_rtp, convert_uint16)
#define convert_uint16_rtn(x) clhls_rounded(x, convert_uint16_rtn, convert_uint16)
#define convert_uint16_sat_rte(x) clhls_rounded(x, convert_uint16_sat_rte, convert_uint16_sat)
#define convert_uint16_sat_rtz(x) clhls_rounded(x, convert_uint16_sat_rtz, convert_uint16_sat)
#define convert_uint16_sat_rtp(x) clhls_rounded(x, convert_uint16_sat_rtp, convert_uint16_sat)
#define convert_uint16_sat_rtn(x) clhls_rounded(x, convert_uint16_sat_rtn, convert_uint16_sat)
#define convert_long_rte(x) clhls_rounded(x, convert_long_rte, convert_long)
#define convert_long_rtz(x) clhls_rounded(x, convert_long_rtz, convert_long)
#define convert_long_rtp(x) clhls_rounded(x, convert_long_rtp, convert_long)
#define convert_long_rtn(x) clhls_rounded(x, convert_long_rtn, convert_long)
#define convert_long_sat_rte(x) clhls_rounded(x, convert_long_sat_rte, convert_long_sat)
#define convert_long_sat_rtz(x) clhls_rounded(x, convert_long_sat_rtz, convert_long_sat)
#define convert_long_sat_rtp(x) clhls_rounded(x, convert_long_sat_rtp, convert_long_sat)
#define convert_long_sat_rtn(x) clhls_rounded(x, convert_long_sat_rtn, convert_long_sat)
#define convert_long2_rte(x) clhls_rounded(x, convert_long2_rte, convert_long2)
#define convert_long2_rtz(x) clhls_rounded(x, convert_long2_rtz, convert_long2)
#define convert_long2_rtp(x) clhls_rounded(x, convert_long2_rtp, convert_long2)
#define convert_long2_rtn(x) clhls_rounded(x, convert_long2_rtn, convert_long2)
#define convert_long2_sat_rte(x) clhls_rounded(x, convert_long2_sat_rte, convert_long2_sat)
#define convert_long2_sat_rtz(x) clhls_rounded(x, convert_long2_sat_rtz, convert_long2_sat)
#define convert_long2_sat_rtp(x) clhls_rounded(x, convert_long2_sat_rtp, convert_long2_sat)
#define convert_long2_sat_rtn(x) clhls_rounded(x, convert_long2_sat_rtn, convert_long2_sat)
#define convert_long3_rte(x) clhls_rounded(x, convert_long3_rte, convert_long3)
#define convert_long3_rtz(x) clhls_rounded(x, convert_long3_rtz, convert_long3)
#define convert_long3_rtp(x) clhls_rounded(x, convert_long3_rtp, convert_long3)
#define convert_long3_rtn(x) clhls_rounded(x, convert_long3_rtn, convert_long3)
#define convert_long3_sat_rte(x) clhls_rounded(x, convert_long3_sat_rte, convert_long3_sat)
#define convert_long3_sat_rtz(x) clhls_rounded(x, convert_long3_sat_rtz, convert_long3_sat)
#define convert_long3_sat_rtp(x) clhls_rounded(x, convert_long3_sat_rtp, convert_long3_sat)
#define convert_long3_sat_rtn(x) clhls_rounded(x, convert_long3_sat_rtn, convert_long3_sat)
#define convert_long4_rte(x) clhls_rounded(x, convert_long4_rte, convert_long4)
#define convert_long4_rtz(x) clhls_rounded(x, convert_long4_rtz, convert_long4)
#define convert_long4_rtp(x) clhls_rounded(x, convert_long4_rtp, convert_long4)
#define convert_long4_rtn(x) clhls_rounded(x, convert_long4_rtn, convert_long4)
#define convert_long4_sat_rte(x) clhls_rounded(x, convert_long4_sat_rte, convert_long4_sat)
#define convert_long4_sat_rtz(x) clhls_rounded(x, convert_long4_sat_rtz, convert_long4_sat)
#define convert_long4_sat_rtp(x) clhls_rounded(x, convert_long4_sat_rtp, convert_long4_sat)
#define convert_long4_sat_rtn(x) clhls_rounded(x, convert_long4_sat_rtn, convert_long4_sat)
#define convert_long8_rte(x) clhls_rounded(x, convert_long8_rte, convert_long8)
#define convert_long8_rtz(x) clhls_rounded(x, convert_long8_rtz, convert_long8)
#define convert_long8_rtp(x) clhls_rounded(x, convert_long8_rtp, convert_long8)
#define convert_long8_rtn(x) clhls_rounded(x, convert_long8_rtn, convert_long8)
#define convert_long8_sat_rte(x) clhls_rounded(x, convert_long8_sat_rte, convert_long8_sat)
#define convert_long8_sat_rtz(x) clhls_rounded(x, convert_long8_sat_rtz, convert_long8_sat)
#define convert_long8_sat_rtp(x) clhls_rounded(x, convert_long8_sat_rtp, convert_long8_sat)
#define convert_long8_sat_rtn(x) clhls_rounded(x, convert_long8_sat_rtn, convert_long8_sat)
#define convert_long16_rte(x) clhls_rounded(x, convert_long16_rte, convert_long16)
#define convert_long16_rtz(x) clhls_rounded(x, convert_long16_rtz, convert_long16)
#define convert_long16_rtp(x) clhls_rounded(x, convert_long16_rtp, convert_long16)
#define convert_long16_rtn(x) clhls_rounded(x, convert_long16_rtn, convert_long16)
#define convert_long16_sat_rte(x) clhls_rounded(x, convert_long16_sat_rte, convert_long16_sat)
#define convert_long16_sat_rtz(x) clhls_rounded(x, convert_long16_sat_rtz, convert_long16_sat)
#define convert_long16_sat_rtp(x) clhls_rounded(x, convert_long16_sat_rtp, convert_long16_sat)
#define convert_long16_sat_rtn(x) clhls_rounded(x, convert_long16_sat_rtn, convert_long16_sat)
#define convert_ulong_rte(x) clhls_rounded(x, convert_ulong_rte, convert_ulong)
#define convert_ulong_rtz(x) clhls_rounded(x, convert_ulong_rtz, convert_ulong)
#define convert_ulong_rtp(x) clhls_rounded(x, convert_ulong_rtp, convert_ulong)
#define convert_ulong_rtn(x) clhls_rounded(x, convert_ulong_rtn, convert_ulong)
#define convert_ulong_sat_rte(x) clhls_rounded(x, convert_ulong_sat_rte, convert_ulong_sat)
#define convert_ulong_sat_rtz(x) clhls_rounded(x, convert_ulong_sat_rtz, convert_ulong_sat)
#define convert_ulong_sat_rtp(x) clhls_rounded(x, convert_ulong_sat_rtp, convert_ulong_sat)
#define convert_ulong_sat_rtn(x) clhls_rounded(x, convert_ulong_sat_rtn, convert_ulong_sat)
#define convert_ulong2_rte(x) clhls_rounded(x, convert_ulong2_rte, convert_ulong2)
#define convert_ulong2_rtz(x) clhls_rounded(x, convert_ulong2_rtz, convert_ulong2)
#define convert_ulong2_rtp(x) clhls_rounded(x, convert_ulong2_rtp, convert_ulong2)
#define convert_ulong2_rtn(x) clhls_rounded(x, convert_ulong2_rtn, convert_ulong2)
#define convert_ulong2_sat_rte(x) clhls_rounded(x, convert_ulong2_sat_rte, convert_ulong2_sat)
#define convert_ulong2_sat_rtz(x) clhls_rounded(x, convert_ulong2_sat_rtz, convert_ulong2_sat)
#define convert_ulong2_sat_rtp(x) clhls_rounded(x, convert_ulong2_sat_rtp, convert_ulong2_sat)
#define convert_ulong2_sat_rtn(x) clhls_rounded(x, convert_ulong2_sat_rtn, convert_ulong2_sat)
#define convert_ulong3_rte(x) clhls_rounded(x, convert_ulong3_rte, convert_ulong3)
#define convert_ulong3_rtz(x) clhls_rounded(x, convert_ulong3_rtz, convert_ulong3)
#define convert_ulong3_rtp(x) clhls_rounded(x, convert_ulong3_rtp, convert_ulong3)
#define convert_ulong3_rtn(x) clhls_rounded(x, convert_ulong3_rtn, convert_ulong3)
#define convert_ulong3_sat_rte(x) clhls_rounded(x, convert_ulong3_sat_rte, convert_ulong3_sat)
#define convert_ulong3_sat_rtz(x) clhls_rounded(x, convert_ulong3_sat_rtz, convert_ulong3_sat)
#define convert_ulong3_sat_rtp(x) clhls_rounded(x, convert_ulong3_sat_rtp, convert_ulong3_sat)
#define convert_ulong3_sat_rtn(x) clhls_rounded(x, convert_ulong3_sat_rtn, convert_ulong3_sat)
#define convert_ulong4_rte(x) clhls_rounded(x, convert_ulong4_rte, convert_ulong4)
#define convert_ulong4_rtz(x) clhls_rounded(x, convert_ulong4_rtz, convert_ulong4)
#define convert_ulong4_rtp(x) clhls_rounded(x, convert_ulong4_rtp, convert_ulong4)
#define convert_ulong4_rtn(x) clhls_rounded(x, convert_ulong4_rtn, convert_ulong4)
#define convert_ulong4_sat_rte(x) clhls_rounded(x, convert_ulong4_sat_rte, convert_ulong4_sat)
#define convert_ulong4_sat_rtz(x) clhls_rounded(x, convert_ulong4_sat_rtz, convert_ulong4_sat)
#define convert_ulong4_sat_rtp(x) clhls_rounded(x, convert_ulong4_sat_rtp, convert_ulong4_sat)
#define convert_ulong4_sat_rtn(x) clhls_rounded(x, convert_ulong4_sat_rtn, convert_ulong4_sat)
#define convert_ulong8_rte(x) clhls_rounded(x, convert_ulong8_rte, convert_ulong8)
#define convert_ulong8_rtz(x) clhls_rounded(x, convert_ulong8_rtz, convert_ulong8)
#define convert_ulong8_rtp(x) clhls_rounded(x, convert_ulong8_rtp, convert_ulong8)
#define convert_ulong8_rtn(x) clhls_rounded(x, convert_ulong8_rtn, convert_ulong8)
#define convert_ulong8_sat_rte(x) clhls_rounded(x, convert_ulong8_sat_rte, convert_ulong8_sat)
#define convert_ulong8_sat_rtz(x) clhls_rounded(x, convert_ulong8_sat_rtz, convert_ulong8_sat)
#define convert_ulong8_sat_rtp(x) clhls_rounded(x, convert_ulong8_sat_rtp, convert_ulong8_sat)
#define convert_ulong8_sat_rtn(x) clhls_rounded(x, convert_ulong8_sat_rtn, convert_ulong8_sat)
#define convert_ulong16_rte(x) clhls_rounded(x, convert_ulong16_rte, convert_ulong16)
#define convert_ulong16_rtz(x) clhls_rounded(x, convert_ulong16_rtz, convert_ulong16)
#define convert_ulong16_rtp(x) clhls_rounded(x, convert_ulong16_rtp, convert_ulong16)
#define convert_ulong16_rtn(x) clhls_rounded(x, convert_ulong16_rtn, convert_ulong16)
#define convert_ulong16_sat_rte(x) clhls_rounded(x, convert_ulong16_sat_rte, convert_ulong16_sat)
#define convert_ulong16_sat_rtz(x) clhls_rounded(x, convert_ulong16_sat_rtz, convert_ulong16_sat)
#define convert_ulong16_sat_rtp(x) clhls_rounded(x, convert_ulong16_sat_rtp, convert_ulong16_sat)
#define convert_ulong16_sat_rtn(x) clhls_rounded(x, convert_ulong16_sat_rtn, convert_ulong16_sat)

// vloada_half3 becomes the instruction of vload_half3: that has no place between its 3-vectors.
#define vloada_half3(offset, p) vload_half3(0, (p) + 4 * (offset))
