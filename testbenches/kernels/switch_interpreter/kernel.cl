// A stack machine that interprets byte code: a switch in a loop, with sparse and dense cases and fall-through.

enum { HALT, PUSH, ADD, SUB, MUL, DUP, SWAP, JUMP, JUMP_IF_ZERO, LOAD, STORE, OUTPUT = 40, NEGATE = 50, DROP };

__kernel void run(__global const uchar *code, int code_length, __global const int *input, __global int *output,
                  __global int *steps, int step_limit)
{
    size_t gid = get_global_id(0);
    int stack[16], memory[4];
    int sp = 0, pc = 0, count = 0, result = 0, running = 1;
    for (int i = 0; i < 16; i++)
        stack[i] = 0;
    for (int i = 0; i < 4; i++)
        memory[i] = input[gid];
    while (running && count < step_limit && pc < code_length) {
        count++;
        uchar op = code[pc++];
        switch (op) {
        case HALT:
            running = 0;
            break;
        case PUSH:
            stack[sp++ & 15] = (char)code[pc++];
            break;
        case ADD: {
            int top = stack[--sp & 15];
            stack[(sp - 1) & 15] = (uint)stack[(sp - 1) & 15] + (uint)top;
            break;
        }
        case SUB: {
            int top = stack[--sp & 15];
            stack[(sp - 1) & 15] = (uint)stack[(sp - 1) & 15] - (uint)top;
            break;
        }
        case MUL: {
            int top = stack[--sp & 15];
            stack[(sp - 1) & 15] = (uint)stack[(sp - 1) & 15] * (uint)top;
            break;
        }
        case DUP:
            stack[sp & 15] = stack[(sp - 1) & 15];
            sp++;
            break;
        case SWAP: {
            int top = stack[(sp - 1) & 15];
            stack[(sp - 1) & 15] = stack[(sp - 2) & 15];
            stack[(sp - 2) & 15] = top;
            break;
        }
        case JUMP_IF_ZERO:
            if (stack[--sp & 15] != 0) {
                pc++;
                break;
            }
            // fall through
        case JUMP:
            pc = code[pc];
            break;
        case LOAD:
            stack[sp++ & 15] = memory[code[pc++] & 3];
            break;
        case STORE:
            memory[code[pc++] & 3] = stack[--sp & 15];
            break;
        case OUTPUT:
            result = stack[(sp - 1) & 15];
            // fall through
        case DROP:
            sp--;
            break;
        case NEGATE:
            stack[(sp - 1) & 15] = -(uint)stack[(sp - 1) & 15];
            break;
        default:
            result = -1000 - op;
            running = 0;
        }
    }
    output[gid] = result;
    steps[gid] = count;
}

// Switch on a 64-bit value with far-apart cases, and on a character with ranges of cases.
__kernel void sparse(__global const long *in, __global const char *letters, __global int *out)
{
    size_t i = get_global_id(0);
    int r;
    switch (in[i]) {
    case 0: r = 1; break;
    case -1: r = 2; break;
    case 4294967296L: r = 3; break;
    case -9223372036854775807L - 1: r = 4; break;
    case 1000000: case 1000001: case 1000002: r = 5; break;
    default: r = in[i] > 0 ? 6 : 7;
    }
    switch (letters[i]) {
    case 'a': case 'e': case 'i': case 'o': case 'u':
        r += 100;
    case 'y':
        r += 10;
        break;
    case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
        r += 1000 * (letters[i] - '0');
    }
    out[i] = r;
}
