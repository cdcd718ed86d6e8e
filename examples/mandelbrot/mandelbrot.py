# %% [markdown]
# # The Mandelbrot set with pyopencl
#
# A notebook as a script: every `# %%` begins a cell (Jupyter with Jupytext, VS Code, Spyder), and `python mandelbrot.py` runs them all.

# %%
import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
print(context.devices[0].name)

# %% [markdown]
# ## A kernel
#
# How many steps of `z = z * z + c` it takes to get away from 0. Products and sums are rounded one by one, so that every device and
# NumPy agree to the last bit.

# %%
STEPS, WIDTH, HEIGHT = 50, 78, 30

program = cl.Program(context, """
#pragma OPENCL FP_CONTRACT OFF
kernel void escape(global const float2 *points, global int *counts, int steps) {
  const size_t i = get_global_id(0);
  const float2 c = points[i];
  float2 z = 0.0f;
  int n = 0;
  while (n < steps && z.x * z.x + z.y * z.y <= 4.0f) {
    z = (float2)(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
    n++;
  }
  counts[i] = n;
}
""").build()

# %%
x = np.linspace(-2.2, 0.8, WIDTH, dtype=np.float32)
y = np.linspace(-1.2, 1.2, HEIGHT, dtype=np.float32)
points = np.stack(np.meshgrid(x, y), axis=-1)

on_device = cl_array.to_device(queue, points)
counts = cl_array.empty(queue, (HEIGHT, WIDTH), np.int32)
program.escape(queue, (WIDTH * HEIGHT,), None, on_device.data, counts.data, np.int32(STEPS))

# %% [markdown]
# ## Arithmetic on arrays
#
# `pyopencl.array` writes a kernel of its own for each expression; on a simulated board each becomes hardware.

# %%
brightness = 255 - 5 * counts

# %% [markdown]
# ## The same with NumPy


# %%
def escape(points):
    c_x, c_y = points[..., 0], points[..., 1]
    z_x, z_y = np.zeros_like(c_x), np.zeros_like(c_y)
    counts = np.zeros(c_x.shape, np.int32)
    for _ in range(STEPS):
        inside = z_x * z_x + z_y * z_y <= np.float32(4)
        counts += inside
        new_x = z_x * z_x - z_y * z_y + c_x
        new_y = np.float32(2) * z_x * z_y + c_y
        z_x, z_y = np.where(inside, new_x, z_x), np.where(inside, new_y, z_y)
    return counts


wanted = escape(points)
assert np.array_equal(counts.get(), wanted)
assert np.array_equal(brightness.get(), 255 - 5 * wanted)
print(f"{WIDTH * HEIGHT} points as NumPy has them, {wanted.sum()} steps")

# %%
SHADES = " .:-=+*#%@"
for row in brightness.get():
    print("".join(SHADES[(255 - value) * (len(SHADES) - 1) // 250] for value in row).rstrip())
