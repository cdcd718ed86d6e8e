// Occurrences of a pattern in a text: naive comparison at every position, and a rolling hash.

// Marks every match, counts them, and keeps the first one.
__kernel void search(__global const char *text, uint text_length, __constant char *pattern, uint pattern_length,
                     __global uchar *match, __global uint *count, __global uint *first)
{
    uint at = get_global_id(0);
    bool found = at + pattern_length <= text_length;
    for (uint i = 0; found && i < pattern_length; i++)
        if (text[at + i] != pattern[i])
            found = false;
    match[at] = found;
    if (found) {
        atomic_inc(count);
        atomic_min(first, at);
    }
}

// Each work-item looks through its own stretch with a Rabin-Karp hash and checks hits by comparison.
__kernel void search_hash(__global const uchar *text, uint text_length, __constant uchar *pattern, uint pattern_length,
                          uint stretch, __global uint *counts)
{
    const uint base = 257, modulus = 65521;
    uint from = get_global_id(0) * stretch;
    uint to = min(from + stretch, text_length - pattern_length + 1);
    uint wanted = 0, hash = 0, power = 1, matches = 0;
    if (from < to) {
        for (uint i = 0; i < pattern_length; i++) {
            wanted = (wanted * base + pattern[i]) % modulus;
            hash = (hash * base + text[from + i]) % modulus;
            if (i > 0)
                power = power * base % modulus;
        }
    }
    for (uint at = from; at < to; at++) {
        if (hash == wanted) {
            uint i = 0;
            while (i < pattern_length && text[at + i] == pattern[i])
                i++;
            matches += i == pattern_length;
        }
        if (at + pattern_length < text_length) {
            uint without = (hash + modulus - text[at] * power % modulus) % modulus;
            hash = (without * base + text[at + pattern_length]) % modulus;
        }
    }
    counts[get_global_id(0)] = matches;
}
