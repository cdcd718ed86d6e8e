// The drawing of segments, channels, memory units and ports: layers from top to bottom, laid out here, always the same.
const NODE_WIDTH = 150, NODE_HEIGHT = 40, GAP_X = 28, GAP_Y = 58, SWEEPS = 6;

const CLASS = { dispatcher: "control", retire: "control", gate: "control", barrier: "control", segment: "segment", access: "memory", memory: "memory", port: "memory" };

// Layer of each node: the longest way to it over edges that lead forward.
function layers(nodes, edges) {
  const forward = edges.filter((e) => e.kind !== "back" && e.from !== e.to);
  const next = nodes.map(() => []);
  forward.forEach((e) => next[e.from].push(e.to));
  // What closes a cycle among them is drawn as it falls.
  const state = nodes.map(() => 0), order = [];
  for (const root of nodes.keys()) {
    const stack = [[root, 0]];
    while (stack.length) {
      const top = stack[stack.length - 1];
      const [id, k] = top;
      if (k === 0) { if (state[id]) { stack.pop(); continue; } state[id] = 1; }
      if (k < next[id].length) { top[1] += 1; if (!state[next[id][k]]) stack.push([next[id][k], 0]); } else { state[id] = 2; order.push(id); stack.pop(); }
    }
  }
  order.reverse();
  const at = new Map(order.map((id, k) => [id, k]));
  const layer = nodes.map(() => 0);
  for (const id of order) {
    for (const to of next[id]) if (at.get(to) > at.get(id)) layer[to] = Math.max(layer[to], layer[id] + 1);
  }
  // Memories and ports stand below everything.
  const last = Math.max(0, ...nodes.filter((n) => n.kind !== "port" && n.kind !== "memory").map((n) => layer[n.id]));
  nodes.forEach((n) => { if (n.kind === "port" || n.kind === "memory") layer[n.id] = last + 1; });
  return layer;
}

// Order in the layers: each node near the middle of its neighbours.
function layOut(nodes, edges) {
  const layer = layers(nodes, edges);
  const rows = [];
  nodes.forEach((n) => { (rows[layer[n.id]] = rows[layer[n.id]] || []).push(n.id); });
  const place = new Array(nodes.length).fill(0);
  const number = () => rows.forEach((row) => row.forEach((id, k) => { place[id] = k - (row.length - 1) / 2; }));
  const near = nodes.map(() => []);
  edges.forEach((e) => { if (e.kind !== "back") { near[e.from].push(e.to); near[e.to].push(e.from); } });
  number();
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : rows.slice().reverse()) {
      if (!row) continue;
      const middle = (id) => {
        const own = near[id].filter((o) => (down ? layer[o] < layer[id] : layer[o] > layer[id])).map((o) => place[o]);
        return own.length ? own.reduce((a, b) => a + b, 0) / own.length : place[id];
      };
      const keys = new Map(row.map((id) => [id, middle(id)]));
      row.sort((a, b) => keys.get(a) - keys.get(b) || a - b);
      row.forEach((id, k) => { place[id] = k - (row.length - 1) / 2; });
    }
  }
  const x = place.map((p) => p * (NODE_WIDTH + GAP_X));
  const y = layer.map((l) => l * (NODE_HEIGHT + GAP_Y));
  return { x, y };
}

function wirePath(from, to, at, back) {
  const [x1, y1, x2, y2] = [at.x[from], at.y[from] + NODE_HEIGHT / 2, at.x[to], at.y[to] - NODE_HEIGHT / 2];
  if (back || y2 <= y1) {
    const side = Math.max(x1, x2) + NODE_WIDTH * 0.8;
    return `M${x1} ${y1} C${side} ${y1 + 50} ${side} ${y2 - 50} ${x2} ${y2}`;
  }
  const bend = Math.max(25, (y2 - y1) / 2);
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

function dataflowView(kernel) {
  const at = layOut(kernel.nodes, kernel.edges);
  const measured = channelsOf(kernel);
  const facts = make("div", { class: "facts", "aria-live": "polite" }, "Drag or arrow keys move, wheel or + and - zoom, 0 shows all.");
  const svg = draw("svg", { class: "chart flow", tabindex: 0, role: "application", "aria-label": "Drawing of the dataflow: arrow keys move, plus and minus zoom, 0 shows all" });
  for (const e of kernel.edges) {
    const count = measured.get(e.channel);
    const stalled = count && kernel.measured.cycles && count.stalled / kernel.measured.cycles > 0.3;
    const size = Math.max(1, Math.log2(Math.max(e.bits, 1)) / 2);
    const path = draw("path", { class: `wire ${e.kind}${stalled ? " stalled" : ""}`, d: wirePath(e.from, e.to, at, e.kind === "back"), "stroke-width": size });
    path.append(draw("title", {}, edgeText(kernel, e, count)));
    svg.append(path);
    if (e.kind !== "memory" && e.bits) {
      const x = (at.x[e.from] + at.x[e.to]) / 2 + 5, y = (at.y[e.from] + at.y[e.to]) / 2 + 4;
      const extra = count ? `, ${percent(count.occupancy)}` : "";
      svg.append(draw("text", { x, y, class: "dim label" }, `${e.bits}b${e.depth ? " \u00d7 " + e.depth : ""}${extra}`));
    }
  }
  for (const n of kernel.nodes) {
    const show = () => facts.replaceChildren(make("b", {}, n.label), ` ${n.detail} `, n.place ? lineLink(n.place) : "");
    const group = draw("g", { tabindex: 0, role: "button", "aria-label": `${n.label}, ${n.detail}`, onclick: show, onfocus: show },
      draw("rect", { class: `box ${CLASS[n.kind]}`, x: at.x[n.id] - NODE_WIDTH / 2, y: at.y[n.id] - NODE_HEIGHT / 2, width: NODE_WIDTH, height: NODE_HEIGHT, rx: n.kind === "access" ? 12 : 4 }),
      draw("text", { x: at.x[n.id], y: at.y[n.id] - 3, "text-anchor": "middle" }, shorten(n.label, 22)),
      draw("text", { x: at.x[n.id], y: at.y[n.id] + 13, "text-anchor": "middle", class: "dim" }, shorten(n.place ? `line ${n.place.line}, ${n.detail}` : n.detail, 24)));
    svg.append(group);
  }
  const tools = zoomable(svg, at);
  const rows = kernel.edges.filter((e) => e.kind !== "memory").map((e) => {
    const count = measured.get(e.channel);
    const row = [kernel.nodes[e.from].label, kernel.nodes[e.to].label, e.kind, digits(e.bits), digits(e.depth)];
    return kernel.measured ? row.concat(count ? [digits(count.tokens), digits(count.stalled), percent(count.occupancy), digits(count.interval)] : ["", "", "", ""]) : row;
  });
  const heads = ["from", "to", "kind", "bits#", "depth#"].concat(kernel.measured ? ["tokens#", "stalled cycles#", "occupied#", "interval#"] : []);
  return [tools, svg, facts, make("details", {}, make("summary", {}, `Channels as a table (${rows.length})`), table(heads, rows, "Channels"))];
}

function shorten(text, most) { return text.length > most ? `${text.slice(0, most - 1)}\u2026` : text; }

function edgeText(kernel, e, count) {
  const text = `${kernel.nodes[e.from].label} to ${kernel.nodes[e.to].label}: ${plural(e.bits, "bit")}${e.depth ? `, ${e.depth} deep` : ""}`;
  return count ? `${text}; ${plural(count.tokens, "token")}, ${plural(count.stalled, "cycle")} stalled` : text;
}

// Zoom and pan over the viewBox, by mouse, touch and keys.
function zoomable(svg, at) {
  const left = Math.min(...at.x) - NODE_WIDTH, right = Math.max(...at.x) + NODE_WIDTH * 1.3;
  const top = Math.min(...at.y) - NODE_HEIGHT, bottom = Math.max(...at.y) + NODE_HEIGHT;
  const whole = { x: left, y: top, w: Math.max(right - left, 300), h: Math.max(bottom - top, 200) };
  let view = { ...whole };
  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const zoom = (factor, cx = 0.5, cy = 0.5) => {
    const w = Math.min(Math.max(view.w * factor, 150), whole.w * 4);
    const h = view.h * (w / view.w);
    view = { x: view.x + (view.w - w) * cx, y: view.y + (view.h - h) * cy, w, h };
    apply();
  };
  const move = (dx, dy) => { view.x += dx * view.w; view.y += dy * view.h; apply(); };
  const reset = () => { view = { ...whole }; apply(); };
  // At the start the text can be read: not more than this many units across, from the top.
  const READABLE = 1500;
  const start = () => { reset(); if (view.w > READABLE) { const w = READABLE; view = { x: whole.x + (whole.w - w) / 2, y: whole.y, w, h: w * 0.42 }; apply(); } };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let grip = null;
  svg.addEventListener("pointerdown", (event) => { grip = { x: event.clientX, y: event.clientY }; });
  svg.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const box = svg.getBoundingClientRect();
    move((grip.x - event.clientX) / box.width, (grip.y - event.clientY) / box.height);
    grip = { x: event.clientX, y: event.clientY };
  });
  for (const end of ["pointerup", "pointerleave", "pointercancel"]) svg.addEventListener(end, () => { grip = null; });
  svg.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1),
      "+": () => zoom(1 / 1.25), "=": () => zoom(1 / 1.25), "-": () => zoom(1.25), 0: reset,
    };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });
  start();
  const button = (text, label, act) => make("button", { type: "button", "aria-label": label, onclick: act }, text);
  return make("div", { class: "tools" }, button("+", "Zoom in", () => zoom(1 / 1.25)), button("\u2212", "Zoom out", () => zoom(1.25)), button("Show all", "Show all", reset),
    make("span", { class: "key dim" }, make("i", { style: "background:var(--segment)" }), "pipeline", make("i", { style: "background:var(--memory)" }), "memory", make("i", { style: "background:var(--control)" }), "control"));
}
