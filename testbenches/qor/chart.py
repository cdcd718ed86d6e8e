"""The chart of compile time against size, as SVG without any library: logarithmic axes, n log n for comparison."""

import math

WIDTH, HEIGHT = 760, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 40, 50
COLOURS = {"straight": "#0b62a4", "branchy": "#c2410c"}


def decades(low, high):
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


def scaling(points):
    """SVG text; `points` is {shape: [(instructions, seconds, megabytes)]}."""
    sizes = [p[0] for series in points.values() for p in series]
    times = [p[1] for series in points.values() for p in series]
    x_low, x_high = min(sizes) / 1.2, max(sizes) * 1.2
    y_decades = decades(min(times), max(times))
    y_low, y_high = 10.0 ** y_decades[0], 10.0 ** y_decades[-1]

    def x(size):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(size / x_low) / math.log(x_high / x_low)

    def y(seconds):
        seconds = min(max(seconds, y_low), y_high)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(seconds / y_low) / math.log(y_high / y_low)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="24" font-size="15">Time of clhls build (CPU seconds) by SPIR-V instructions of the kernel</text>']
    for power in y_decades:
        height = y(10.0 ** power)
        svg.append(f'<path d="M{LEFT} {height:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        svg.append(f'<text x="{LEFT - 8}" y="{height + 4:.1f}" text-anchor="end">{10.0 ** power:g} s</text>')
    for size in sorted(set(sizes)):
        place = x(size)
        svg.append(f'<path d="M{place:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#eee"/>')
        svg.append(f'<text x="{place:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size}</text>')
    svg.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">instructions</text>')
    svg += [line for shape, series in points.items() for line in curve(shape, series, x, y)]
    return "\n".join([*svg, "</svg>", ""])


def curve(shape, series, x, y):
    """One shape: its points, and n log n through the first that is not all start-up."""
    colour = COLOURS.get(shape, "#333")
    line = " ".join(f"{x(size):.1f},{y(seconds):.1f}" for size, seconds, _ in series)
    yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for size, seconds, megabytes in series:
        yield (f'<circle cx="{x(size):.1f}" cy="{y(seconds):.1f}" r="4" fill="{colour}">'
               f"<title>{shape}, {size} instructions: {seconds} s, {megabytes} MB</title></circle>")
    base = next(((n, t) for n, t, _ in series if n >= 1000), series[0][:2])
    scale = base[1] / (base[0] * math.log(base[0]))
    ideal = " ".join(f"{x(n):.1f},{y(scale * n * math.log(n)):.1f}" for n, _, _ in series if n >= base[0])
    yield f'<polyline points="{ideal}" fill="none" stroke="{colour}" stroke-dasharray="3 4"/>'
    size, seconds, megabytes = series[-1]
    yield f'<text x="{x(size) + 12:.1f}" y="{y(seconds) + 4:.1f}" fill="{colour}">{shape}: {seconds:.2f} s,</text>'
    yield f'<text x="{x(size) + 12:.1f}" y="{y(seconds) + 20:.1f}" fill="{colour}">{megabytes} MB</text>'
    if shape == "straight":
        yield f'<text x="{x(size) + 12:.1f}" y="{y(seconds) + 42:.1f}" fill="#555">dotted: n log n</text>'
