// The schedule: a column for each cycle, a row for each operation; what is chained stands in one column.
const ROW = 19, COLUMN = 64, LEFT = 190, TOP = 34, MOST_ROWS = 400;

// Cycles of a block that have a column; long waits for memory are one column, as wide as two.
function columns(block) {
  const list = [];
  block.segments.forEach((segment, k) => {
    for (let c = segment.start; c <= segment.start + segment.latency; c += 1) {
      if (!list.length || list[list.length - 1].to < c) list.push({ from: c, to: c, segment: k, wait: false });
    }
    const next = block.segments[k + 1];
    const end = segment.start + segment.latency;
    if (next && next.start > end + 1) list.push({ from: end + 1, to: next.start - 1, segment: k, wait: true });
  });
  let x = LEFT;
  for (const column of list) {
    column.x = x;
    column.width = column.wait ? Math.min(2, 1 + (column.to - column.from) / 50) * COLUMN : COLUMN;
    x += column.width;
  }
  return list;
}

// Where a time lies, in ns from the block's entry.
function position(list, period, ns) {
  const cycle = Math.floor(ns / period + 1e-4);
  const column = list.find((c) => c.to >= cycle) || list[list.length - 1];
  if (!column) return LEFT;
  const cycles = column.to - column.from + 1;
  const share = Math.min(1, Math.max(0, (ns / period - column.from) / cycles));
  return column.x + share * column.width;
}

function scheduleView(kernel) {
  const withWork = kernel.blocks.map((b, k) => [b, k, kernel.operations.filter((o) => o.block === k && o.when !== "launch")])
    .filter(([, , ops]) => ops.length);
  if (!withWork.length) return make("p", {}, "Nothing in this kernel takes time.");
  const launch = kernel.operations.filter((o) => o.when === "launch");
  const best = withWork.reduce((a, b) => ((b[0].in_loop !== null) - (a[0].in_loop !== null) || b[2].length - a[2].length) > 0 ? b : a);
  const select = make("select", { id: "block" }, withWork.map(([b, k, ops]) =>
    make("option", { value: k, selected: b === best[0] },
      `${b.name}${b.place ? ` (line ${b.place.line})` : ""}: ${plural(ops.length, "operation")}${b.in_loop === null ? "" : ", in a loop"}`)));
  const filter = make("input", { id: "filter", type: "search", placeholder: "fadd, or 12", size: 12 });
  const holder = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Schedule chart" });
  const facts = make("div", { class: "facts", "aria-live": "polite" }, "Choose an operation: click, or Tab and arrow keys.");
  const redraw = () => holder.replaceChildren(scheduleChart(kernel, Number(select.value), filter.value.trim(), facts));
  select.addEventListener("change", redraw);
  filter.addEventListener("input", redraw);
  redraw();
  return [
    make("div", { class: "tools" }, make("label", {}, "Block ", select), make("label", {}, "Name or line ", filter),
      make("span", { class: "key dim" }, make("i", { style: "background:var(--segment)" }), "in a segment",
        make("i", { style: "background:var(--memory)" }), "waits for memory",
        make("i", { style: "border:2px solid var(--warn)" }), "binds the II")),
    holder, facts,
    launch.length ? make("p", { class: "dim" }, `Besides, what is the same for the whole launch is computed once, before the first work-item: ${plural(launch.length, "operation")}.`) : null,
  ];
}

function scheduleChart(kernel, index, filter, facts) {
  const block = kernel.blocks[index];
  const all = kernel.operations.filter((o) => o.block === index && o.when !== "launch")
    .filter((o) => !filter || o.name.includes(filter) || (o.place && String(o.place.line) === filter));
  const ops = all.slice().sort((a, b) => a.start_ns - b.start_ns || a.id - b.id).slice(0, MOST_ROWS);
  const list = columns(block);
  const width = list.reduce((w, c) => Math.max(w, c.x + c.width), LEFT) + 20;
  const height = TOP + ops.length * ROW + 24;
  const chart = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Schedule of ${block.name}` });
  for (const c of list) {
    if (c.wait) chart.append(draw("rect", { class: "band", x: c.x, y: TOP, width: c.width, height: height - TOP }));
    const label = c.wait ? `${c.from}\u2026${c.to}` : String(c.from);
    chart.append(draw("line", { class: "grid", x1: c.x, x2: c.x, y1: TOP - 6, y2: height }),
      draw("text", { x: c.x + c.width / 2, y: TOP - 10, "text-anchor": "middle", class: "dim" }, label));
  }
  block.segments.forEach((s, k) => {
    const column = list.find((c) => c.segment === k && c.from === s.start);
    if (column) chart.append(draw("text", { x: column.x + 2, y: 12 }, `segment ${k}`), draw("line", { class: "border", x1: column.x, x2: column.x, y1: 0, y2: height }));
  });
  const binding = new Set(kernel.loops.filter((l, k) => block.in_loop === k).flatMap((l) => l.constraint.path.map((s) => s.operation)));
  const bars = new Map();
  const pick = (op) => {
    chart.querySelectorAll(".picked,.near").forEach((e) => e.classList.remove("picked", "near"));
    bars.get(op.id).classList.add("picked");
    op.operands.forEach((o) => bars.has(o) && bars.get(o).classList.add("near"));
    facts.replaceChildren(...operationFacts(kernel, op).filter(Boolean));
  };
  ops.forEach((op, row) => {
    const y = TOP + row * ROW;
    const from = position(list, 1000 / kernel.clock_mhz, op.start_ns);
    const to = Math.max(position(list, 1000 / kernel.clock_mhz, op.end_ns), from + 3);
    const kind = op.when === "memory" ? "memory" : "segment";
    const name = `${op.name}${op.bits ? " " + op.bits : ""}`;
    const bar = draw("rect", {
      class: `op ${kind}${binding.has(op.id) ? " binding" : ""}`, x: from, y: y + 2, width: to - from, height: ROW - 4, rx: 2,
      tabindex: row === 0 ? 0 : -1, role: "button", "aria-label": `${name}, cycle ${op.cycle}, ${digits(op.start_ns)} to ${digits(op.end_ns)} ns`,
      onclick: () => pick(op), onfocus: () => pick(op),
      onkeydown: (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1, Home: -row, End: ops.length - 1 - row }[event.key];
        const other = step === undefined ? undefined : ops[row + step];
        if (!other) return;
        event.preventDefault();
        bars.get(other.id).focus();
      },
    });
    bars.set(op.id, bar);
    chart.append(draw("text", { x: 4, y: y + 14 }, name),
      draw("text", { x: LEFT - 8, y: y + 14, "text-anchor": "end", class: "dim" }, op.place ? `line ${op.place.line}` : ""), bar);
  });
  if (all.length > ops.length) {
    chart.append(draw("text", { x: 4, y: height - 6, class: "dim" }, `${all.length - ops.length} more: narrow them down by name or line`));
  }
  return chart;
}

function operationFacts(kernel, op) {
  const name = (id) => {
    const o = kernel.operations[id];
    return `${o.name}${o.place ? ` (line ${o.place.line})` : ""}`;
  };
  const access = op.access === null ? null : kernel.accesses[op.access];
  return [
    make("b", {}, `${op.name} `), make("span", {}, `${plural(op.bits, "bit")}, segment ${op.segment}, cycle ${op.cycle}, latency ${op.latency}; `
      + `${digits(op.start_ns)} to ${digits(op.end_ns)} ns. `), lineLink(op.place),
    op.chained_with.length ? make("div", {}, `chained in the same cycle behind ${op.chained_with.map(name).join(", ")}`) : null,
    op.operands.length ? make("div", { class: "dim" }, `uses ${op.operands.map(name).join(", ")}`) : null,
    access ? make("div", {}, `${access.unit}; ${access.pattern}`) : null,
  ];
}
