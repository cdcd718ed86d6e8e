// The source, with what each line became.

// Share of the launch in which work-items waited because of each line, from the channels behind its operations.
function stallsByLine(kernel) {
  const measured = channelsOf(kernel);
  const stalls = new Map();
  if (!kernel.measured) return stalls;
  const cycles = Math.max(kernel.measured.cycles, 1);
  for (const op of kernel.operations) {
    if (!op.place || (op.when !== "segment" && op.when !== "memory")) continue;
    const block = kernel.blocks[op.block].name;
    const name = op.when === "memory" ? `${block}_m${op.segment}_beside_q` : `${block}_s${op.segment}_fifo_q`;
    const channel = measured.get(name);
    if (!channel) continue;
    const share = channel.stalled / cycles / kernel.compute_units;
    stalls.set(lineId(op.place), Math.max(stalls.get(lineId(op.place)) || 0, share));
  }
  return stalls;
}

function sourceView(kernel) {
  const stalls = stallsByLine(kernel);
  const made = new Map(kernel.lines.map((l) => [lineId(l.place), l]));
  const files = report.sources.map((source, file) => ({ source, file }))
    .filter(({ file }) => kernel.lines.some((l) => l.place.file === file));
  if (!files.length) {
    return make("p", {}, "The module has no source lines. Compile with -g, or let clhls compile the .cl file.");
  }
  const heads = ["line#", "source", "II#", "latency#", "operations#", "LUT#", "FF#", "DSP#", "RAM#", "accesses"];
  if (kernel.measured) heads.push("waiting#");
  return files.map(({ source, file }) => {
    const known = kernel.lines.filter((l) => l.place.file === file).map((l) => l.place.line);
    const text = source.text === null ? null : source.text.split("\n");
    const from = Math.max(1, Math.min(...known) - 8);
    const to = text ? Math.min(text.length, Math.max(...known) + 4) : Math.max(...known);
    const rows = [];
    for (let line = from; line <= to; line += 1) {
      const place = { file, line };
      const facts = made.get(lineId(place));
      if (text || facts) rows.push(sourceRow(kernel, place, text ? text[line - 1] : "", facts, stalls));
    }
    return [make("h3", {}, source.name), make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": source.name },
      make("table", {},
        make("thead", {}, make("tr", {}, heads.map((h) =>
          make("th", { scope: "col", class: h.endsWith("#") ? "n" : null }, h.replace("#", ""))))),
        make("tbody", {}, rows)))];
  });
}

function sourceRow(kernel, place, text, facts, stalls) {
  const n = (value, name) => make("td", { class: `n ${name || ""}` }, value ? digits(value) : "");
  const accesses = facts ? facts.accesses.map((id) => {
    const a = kernel.accesses[id];
    return `${a.kind}${a.argument ? " " + a.argument : ""} ${plural(a.bytes, "byte")}`;
  }) : [];
  const stall = stalls.get(lineId(place));
  return make("tr", { id: lineId(place), tabindex: -1, class: facts ? (facts.ii > 1 ? "made slow" : "made") : null },
    make("td", { class: "n dim" }, String(place.line)),
    make("td", { class: "code" }, text),
    n(facts && facts.ii, "ii"), n(facts && facts.latency), n(facts && facts.operations),
    n(facts && facts.area.lut), n(facts && facts.area.ff), n(facts && facts.area.dsp), n(facts && facts.area.bram),
    make("td", {}, [...new Set(accesses)].join(", ")),
    kernel.measured ? make("td", { class: stall > 0.3 ? "n warn" : "n" }, stall === undefined ? "" : percent(stall)) : null);
}
