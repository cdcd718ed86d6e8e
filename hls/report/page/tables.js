// Overview, loops, memories; and what puts the sections together.

function overview(kernel) {
  const card = (value, text, share) => make("div", { class: "card" }, make("b", {}, value), make("span", {}, text),
    share === undefined ? null : make("span", { class: "bar", role: "img", "aria-label": percent(share) }, make("i", { class: share > 0.85 ? "over" : null, style: `width:${Math.min(100, share * 100)}%` })));
  const area = [["lut", "LUTs"], ["ff", "flip-flops"], ["dsp", "DSP tiles"], ["bram", "RAM blocks"]].map(([key, name]) => {
    const [have, need] = [kernel.available_area[key], kernel.estimated_area[key]];
    return card(digits(need), `of ${digits(have)} ${name}`, have ? need / have : 0);
  });
  const form = kernel.single_work_item ? "one work-item, iterations overlap" : `work-groups of up to ${digits(kernel.max_work_group_size)}, work-items interleave`;
  const cards = make("div", { class: "cards" }, card(`${digits(kernel.clock_mhz)} MHz`, `${kernel.board}, ${kernel.device}`),
    card(plural(kernel.compute_units, "compute unit"), `${plural(kernel.simd, "work-item")} a token; ${form}; ${kernel.compute_units_reason}`),
    card(rate(kernel.peak_bytes_per_second), `at most, each way, on ${plural(kernel.memory_ports.length, "memory port")}`));
  const slow = kernel.loops.filter((l) => interval(l) > 1);
  const binds = slow.length
    ? make("ul", {}, slow.map((l) => make("li", {}, lineLink(l.place), `: ${digits(interval(l))} cycles an iteration, by the ${LIMITS[l.constraint.limit]}. `,
      l.suggestions.length ? [make("b", {}, "To lower it: "), l.suggestions[0].text, " ", promise(l.suggestions[0])] : null)))
    : make("p", { class: "good" }, kernel.loops.length ? "Every loop starts an iteration every cycle." : "No loops: a token enters every cycle.");
  const measured = kernel.measured ? [make("h3", {}, "Measured"), make("div", { class: "cards" },
    card(digits(kernel.measured.cycles), "cycles"), card(digits(kernel.measured.work_items), "work-items"),
    ...kernel.measured.ports.map((p) => card(`${rate(p.read_bytes_per_second)} / ${rate(p.written_bytes_per_second)}`, `read / written on ${p.name}`)))] : [];
  const rows = kernel.arguments.map((a) => [a.name, make("code", {}, a.type_name), a.kind, a.register === null ? "" : `0x${a.register.toString(16)}`, a.port || ""]);
  return [cards, make("h3", {}, "Estimated area"), make("div", { class: "cards" }, area), make("h3", {}, "What limits the speed"), binds, measured,
    kernel.notes.length ? [make("h3", {}, "Notes"), make("ul", {}, kernel.notes.map((n) => make("li", {}, n)))] : null,
    make("h3", {}, "Arguments"), table(["name", "type", "kind", "register", "port"], rows, "Arguments")];
}

// What follows from an edit.
function promise(s) {
  const of = s.iterations > 1 ? ` for ${s.iterations} of today's iterations` : "";
  return make("span", { class: "tag", title: s.tried ? "The kernel was scheduled with this edit." : "Worked out from the schedule." },
    `then ${digits(s.interval)} ${s.interval === 1 ? "cycle" : "cycles"}${of}${s.tried ? ", tried" : ""}`);
}

// Interval at which tokens passed in a loop, from the channel that sees each of its iterations.
function measuredInterval(kernel, l, k) {
  const measured = channelsOf(kernel);
  const header = l.name.split(" ").pop();
  const channel = measured.get(`${header}_issue`) || measured.get(`${header}_s0_fifo_q`) || measured.get(`${header}_m0_beside_q`);
  return channel && channel.tokens > 1 ? digits(channel.interval) : "";
}

function loopsView(kernel) {
  const heads = ["loop", "kind", "II#", "memory needs#", "latency#", "inside#"].concat(kernel.measured ? ["measured#"] : [], ["what binds it", "what would lower it"]);
  const rows = kernel.loops.map((l, k) => {
    const why = [make("b", {}, LIMITS[l.constraint.limit]), make("div", {}, l.reason)];
    if (l.constraint.path.length) {
      const shown = l.constraint.path.slice(0, 24).map((s) => {
        const o = kernel.operations[s.operation];
        return `${o.name}${o.place ? "@" + o.place.line : ""}${s.delay_ns ? ` ${digits(s.delay_ns)} ns` : ""}`;
      });
      if (l.constraint.path.length > 24) shown.push(`${l.constraint.path.length - 24} more`);
      why.push(make("span", { class: "path dim" }, shown.join(l.constraint.limit === "ports" || l.constraint.limit === "order" ? ", " : " \u2192 ")));
    }
    const edits = make("ul", {}, l.suggestions.map((s) => make("li", {}, s.text, " ", promise(s), s.condition ? make("div", { class: "dim" }, `if ${s.condition}`) : null)));
    const cells = [[lineLink(l.place), make("div", { class: "dim" }, l.name, l.parent === null ? "" : `, in ${kernel.loops[l.parent].name}`)], l.kind,
      digits(l.ii), digits(l.memory_interval), digits(l.latency), digits(l.most_inside)];
    return cells.concat(kernel.measured ? [measuredInterval(kernel, l, k)] : [], [why, l.suggestions.length ? edits : ""]);
  });
  const divisions = kernel.divisions.map((d) => [d.unit, d.source, d.form, digits(d.interval), digits(d.latency), d.reason]);
  return [rows.length ? table(heads, rows, "Loops") : make("p", {}, "The kernel has no loops."), divisions.length ? [make("h3", {}, "Divisions and square roots"),
    table(["unit", "source", "form", "interval#", "latency#", "why"], divisions, "Divisions and square roots")] : null];
}

function memoryView(kernel) {
  const memories = kernel.memories.map((m) => [m.name, m.kind, m.bytes ? digits(m.bytes) : "", digits(m.word_bytes), digits(m.copies), digits(m.ports), m.arbitration, digits(m.accesses.length)]);
  const counts = new Map((kernel.measured ? kernel.measured.accesses : []).map((a) => [a.id, a]));
  const cached = [...counts.values()].some((c) => c.cache);
  const heads = ["#", "access", "line", "bytes#", "unit", "address", "loop", "expected#"].concat(kernel.measured ? ["made#", "measured#"] : [],
    cached ? ["cache hits#", "misses#", "cycles waiting for a line#", "cycles not taking#"] : []);
  const rows = kernel.accesses.map((a) => {
    const count = counts.get(a.id);
    const row = [String(a.id), `${a.kind}${a.argument ? " " + a.argument : ""}`, lineLink(a.place), digits(a.bytes), a.unit,
      a.stride ? `${a.pattern} (${digits(a.stride)} bytes)` : a.pattern, a.in_loop === null ? "" : kernel.loops[a.in_loop].name, rate(a.expected_bytes_per_second)];
    const made = kernel.measured ? (count ? [digits(count.count), rate(count.bytes_per_second)] : ["", ""]) : [];
    const c = count && count.cache;
    return row.concat(made, !cached ? [] : c ? [c.hits + c.misses ? percent(c.hit_rate) : "", digits(c.misses), digits(c.waiting), digits(c.refused)] : ["", "", "", ""]);
  });
  const ports = kernel.memory_ports.map((p) => {
    const peak = p.data_bits / 8 * kernel.clock_mhz * 1e6;
    const m = kernel.measured && kernel.measured.ports.find((q) => q.name === p.name);
    return [p.name, digits(p.data_bits), rate(peak), digits(p.interval)].concat(m ? [`${rate(m.read_bytes_per_second)} (${percent(m.read_bytes_per_second / peak)})`,
      `${rate(m.written_bytes_per_second)} (${percent(m.written_bytes_per_second / peak)})`, m.read_bursts ? digits(m.read_bytes / m.read_bursts) : "", m.write_bursts ? digits(m.written_bytes / m.write_bursts) : ""] : kernel.measured ? ["", "", "", ""] : []);
  });
  const portHeads = ["port", "bits#", "peak each way#", "beats an iteration#"].concat(kernel.measured ? ["read#", "written#", "bytes a read burst#", "bytes a write burst#"] : []);
  return [table(portHeads, ports, "Memory ports"), make("h3", {}, "Memories"),
    table(["memory", "kind", "bytes#", "word bytes#", "copies#", "ports#", "arbitration", "accesses#"], memories, "Memories"),
    make("h3", {}, "Accesses"), table(heads, rows, "Accesses")];
}

function show(index) {
  const kernel = report.kernels[index];
  const sections = { overview, source: sourceView, schedule: scheduleView, dataflow: dataflowView, loops: loopsView, memory: memoryView };
  for (const [name, view] of Object.entries(sections)) pickBody(name).replaceChildren(...[view(kernel)].flat(Infinity).filter(Boolean));
}

(function start() {
  document.getElementById("module").textContent = report.module;
  document.getElementById("tool").textContent = report.tool;
  const select = document.getElementById("kernels");
  report.kernels.forEach((k, n) => select.append(make("option", { value: n }, k.name)));
  select.addEventListener("change", () => show(Number(select.value)));
  if (report.kernels.length) show(0);
})();
