"use strict";
// What all sections use: the data, making elements, texts of numbers.
const report = JSON.parse(document.getElementById("data").textContent);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

// An HTML element; text children stay text.
function make(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// An SVG element.
function draw(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// A number with three digits that count.
function digits(n) {
  if (n === null || n === undefined) return "";
  if (Number.isInteger(n)) return n.toLocaleString("en");
  return Number(n.toPrecision(3)).toLocaleString("en", { maximumFractionDigits: 3 });
}

function rate(bytes) {
  const units = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
  let k = 0;
  while (bytes >= 1000 && k + 1 < units.length) { bytes /= 1000; k += 1; }
  return `${digits(bytes)} ${units[k]}`;
}

function percent(share) {
  return `${digits(Math.round(share * 1000) / 10)} %`;
}

function plural(n, one, more) {
  return `${digits(n)} ${n === 1 ? one : more || one + "s"}`;
}

function sourceName(place) {
  const name = report.sources[place.file] ? report.sources[place.file].name : "?";
  return name.split("/").pop();
}

function lineId(place) { return `line-${place.file}-${place.line}`; }

// A button that shows a source line.
function lineLink(place) {
  if (!place) return make("span", { class: "dim" }, "no line known");
  const show = () => {
    const row = document.getElementById(lineId(place));
    if (!row) return;
    document.querySelectorAll("tr.picked").forEach((r) => r.classList.remove("picked"));
    row.classList.add("picked");
    row.scrollIntoView({ block: "center" });
    row.focus();
  };
  return make("button", { class: "link", type: "button", onclick: show }, `${sourceName(place)}:${place.line}`);
}

// A table from headings and rows of cells; a heading that ends with "#" is one of numbers.
function table(heads, rows, caption) {
  const numeric = heads.map((h) => h.endsWith("#"));
  const cell = (c, k) => make("td", { class: numeric[k] ? "n" : null }, c);
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    make("table", {},
      make("thead", {}, make("tr", {}, heads.map((h, k) =>
        make("th", { scope: "col", class: numeric[k] ? "n" : null }, h.replace("#", ""))))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cell))))));
}

function pickBody(section) { return document.querySelector(`#${section} .body`); }

function interval(loop) { return Math.max(loop.ii, loop.memory_interval); }

const LIMITS = {
  none: "nothing: one a cycle", recurrence: "recurrence", condition: "exit condition", memory: "value from memory",
  order: "order of accesses", sequential: "iterations do not overlap", occupancy: "too few work-items", ports: "memory ports",
  operator: "operator that takes operands seldom",
};

// Measurements by the name of a channel.
function channelsOf(kernel) {
  const all = new Map();
  if (kernel.measured) for (const c of kernel.measured.channels) all.set(c.channel, c);
  return all;
}
