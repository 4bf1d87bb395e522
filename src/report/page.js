// The list of records, what is shown of one, search and filter. Everything that comes from a file is set as text, never as markup.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { rows, runs, readouts, programs } = data;
  const $ = (id) => document.getElementById(id);
  const PAGE = 100;
  const state = { q: "", show: "all", sort: data.labels ? "off" : "order", id: "", candidate: null };
  let shown = [];
  let pages = 1;

  // An element with attributes and children; texts become text nodes.
  function el(name, attributes, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "class") node.className = value;
      else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  }
  const name = (row) => (row.candidate === undefined ? row.id : row.id + " / " + row.candidate);
  // What the first readout says; where a row is about another one, that one with its name.
  const outcome = (cell) => {
    const at = cell.said.findIndex((said) => said !== null && said !== undefined);
    return at < 0 ? data.words[cell.status] : at === 0 ? cell.said[0] : readouts[at] + ": " + cell.said[at];
  };
  const tone = (cell) => (cell.status !== "failed" && (cell.said[0] === null || cell.said[0] === undefined) ? "" : cell.passes === false || cell.status === "failed" ? "bad" : cell.passes === undefined ? "warn" : "");
  const details = (row) => row.cells.filter(Boolean).flatMap((cell) => cell.details || []);

  // What a search looks into, made when it is first needed.
  const haystacks = new Map();
  function haystack(row) {
    let text = haystacks.get(row);
    if (text === undefined) {
      const parts = [name(row), row.label, ...(row.tags || [])];
      for (const cell of row.cells.filter(Boolean)) {
        parts.push(data.words[cell.status], cell.reason, ...cell.said, ...(cell.missing || []).flatMap((m) => [m.criterion, m.why]));
        for (const detail of cell.details || []) {
          parts.push(...detail.fired);
          for (const judged of detail.judged) {
            parts.push(judged.name, judged.value);
            for (const answer of judged.answers || []) parts.push(answer.by, answer.reason, ...(answer.quotes || []));
          }
        }
      }
      for (const [field, own] of row.texts || []) parts.push(field, own);
      text = parts.filter(Boolean).join("\n").toLowerCase();
      haystacks.set(row, text);
    }
    return text;
  }

  const shows = {
    all: () => true,
    failing: (row) => row.cells.some((cell) => cell && cell.passes === false),
    off: (row) => row.off > 0,
    differ: (row) => new Set(row.cells.filter(Boolean).map((cell) => JSON.stringify(cell.said))).size > 1,
  };
  function test(row) {
    const [kind, ...rest] = state.show.split(":");
    const what = rest.join(":");
    if (kind === "status") return row.cells.some((cell) => cell && cell.status === what);
    if (kind === "gate") return details(row).some((detail) => detail.fired.includes(what));
    if (kind === "tag") return (row.tags || []).includes(what);
    return (shows[kind] || shows.all)(row);
  }
  const number = (row) => {
    const cell = row.cells.find((one) => one && one.number !== undefined);
    return cell ? cell.number : null;
  };
  const sorts = {
    order: () => 0,
    off: (a, b) => (b.off ?? -1) - (a.off ?? -1),
    low: (a, b) => (number(a) ?? Infinity) - (number(b) ?? Infinity),
    high: (a, b) => (number(b) ?? -Infinity) - (number(a) ?? -Infinity),
    name: (a, b) => name(a).localeCompare(name(b), "en", { numeric: true }),
  };

  function find() {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    shown = rows.filter((row) => test(row) && words.every((word) => haystack(row).includes(word)));
    // Sorting is stable, so rows that are alike stay in their order.
    shown.sort(sorts[state.sort] || sorts.order);
    $("count").textContent = `${shown.length} of ${rows.length} shown`;
    list();
  }

  function list() {
    const labelled = Boolean(data.labels);
    const head = el("tr", {},
      el("th", { scope: "col" }, "record"),
      runs.map((run) => el("th", { scope: "col" }, runs.length > 1 ? run : readouts[0])),
      labelled ? [el("th", { scope: "col" }, "label"), el("th", { scope: "col", class: "n" }, "off by")] : [],
      el("th", { scope: "col" }, "notes"));
    const body = shown.slice(0, PAGE * pages).map((row) => {
      const current = row.id === state.id && (row.candidate ?? null) === state.candidate;
      const fired = [...new Set(details(row).flatMap((detail) => detail.fired))];
      return el("tr", { "aria-current": current ? "true" : null },
        el("td", {}, el("button", { type: "button", onclick: () => open(row, true) }, name(row))),
        row.cells.map((cell) => el("td", { class: cell ? tone(cell) : "soft" }, cell ? outcome(cell) : "–")),
        labelled ? [el("td", {}, row.label ?? "–"), el("td", { class: "n" }, row.off === undefined ? "" : short(row.off))] : [],
        el("td", {}, fired.map((gate) => el("span", { class: "tag" }, "fired: " + gate)), (row.tags || []).slice(0, 4).map((tag) => el("span", { class: "tag" }, tag))));
    });
    const rest = shown.length - PAGE * pages;
    $("list").replaceChildren(
      el("table", {}, el("caption", { class: "hidden" }, "Records"), el("thead", {}, head), el("tbody", {}, body)),
      rest > 0 ? el("p", {}, el("button", { type: "button", onclick: () => { pages += 1; list(); } }, `Show ${Math.min(rest, PAGE)} more`)) : "");
  }
  const short = (value) => String(Math.round(value * 10000) / 10000);

  function open(row, move) {
    state.id = row.id;
    state.candidate = row.candidate ?? null;
    write();
    list();
    one(row);
    if (move) {
      $("heading").focus({ preventScroll: true });
      if (matchMedia("(max-width:900px)").matches) $("one").scrollIntoView();
    }
  }
  function step(by) {
    const at = shown.findIndex((row) => row.id === state.id && (row.candidate ?? null) === state.candidate);
    const next = shown[at + by];
    if (!next) return;
    while (shown.indexOf(next) >= PAGE * pages) pages += 1;
    open(next, true);
    const current = document.querySelector("#list tr[aria-current=true]");
    if (current) current.scrollIntoView({ block: "nearest" });
  }

  // One record.
  function one(row) {
    const several = row.cells.filter(Boolean).length > 1;
    const parts = [
      el("div", { class: "turn" },
        el("button", { type: "button", onclick: () => step(-1), title: "the record before (k)" }, "Previous"),
        el("button", { type: "button", onclick: () => step(1), title: "the next record (j)" }, "Next")),
      el("h3", { id: "heading", tabindex: "-1" }, name(row)),
      el("p", {}, (row.tags || []).map((tag) => el("span", { class: "tag" }, tag))),
    ];
    if (row.label !== undefined) {
      parts.push(el("p", {}, "Label: ", el("b", {}, row.label), row.off > 0 ? el("span", { class: "bad" }, ` (off by ${short(row.off)})`) : " (as judged)"));
    }
    row.cells.forEach((cell, run) => {
      if (!cell) return;
      if (several) parts.push(el("h4", {}, runs[run]));
      parts.push(...told(cell));
    });
    const siblings = rows.filter((other) => other.id === row.id && other !== row);
    if (siblings.length) {
      parts.push(el("p", {}, "Of the same record: ", siblings.slice(0, 30).map((other) =>
        [el("button", { type: "button", onclick: () => open(other, true) }, other.candidate ?? "the comparison"), " "])));
    }
    if (row.texts) {
      const quotes = details(row).flatMap((detail) => detail.judged.flatMap((judged) => (judged.answers || []).flatMap((answer) => answer.quotes || [])));
      for (const [field, text] of row.texts) parts.push(el("h4", {}, field), el("div", { class: "text" }, marked(text, quotes)));
    }
    if (!details(row).length) parts.push(el("p", { class: "soft" }, data.traced ? "This row is beyond those that are shown down to their judgments." : "Name the trace of the run too (rubric run --trace) to see the judgments behind this."));
    $("one").replaceChildren(...parts);
  }

  function told(cell) {
    const parts = [el("dl", {}, readouts.map((key, at) =>
      cell.said[at] === null || cell.said[at] === undefined ? [] : [el("dt", { class: "soft" }, key), el("dd", {}, el("b", { class: at === 0 ? tone(cell) : "" }, cell.said[at]))]))];
    if (cell.said.every((said) => said === null || said === undefined)) parts.push(el("p", { class: tone(cell) }, data.words[cell.status]));
    if (cell.reason) parts.push(el("p", { class: "bad" }, cell.reason));
    if (cell.missing) {
      parts.push(el("p", { class: "warn" }, "Missing judgments:"), el("ul", {}, cell.missing.map((missing) => el("li", {}, el("code", {}, missing.criterion), ": " + missing.why))));
    }
    for (const detail of cell.details || []) parts.push(...way(detail));
    return parts;
  }

  function way(detail) {
    const program = programs[detail.program];
    const on = new Set(detail.way);
    const parts = [];
    if (detail.candidate !== undefined) parts.push(el("h4", {}, "Candidate " + detail.candidate));
    for (const computed of detail.computed.filter((one) => one.fired === true)) {
      parts.push(el("p", {}, el("b", { class: "warn" }, "Gate fired: "), el("code", {}, computed.name), computed.does ? [" = ", el("code", {}, computed.does)] : "", " came to ", el("b", {}, computed.value)));
    }
    const quotes = (answer) => (answer.quotes || []).map((quote) => el("blockquote", {}, quote));
    const judged = detail.judged.map((one) => el("tr", {},
      el("td", {}, el("code", {}, one.name), one.points ? " (" + one.points + ")" : "", on.has(one.node) ? [" ", el("span", { class: "way" }, "counts")] : "",
        program && program.nodes[one.node] ? el("div", { class: "soft" }, program.nodes[one.node].words) : ""),
      el("td", { class: one.missing ? "warn" : "" }, el("b", {}, one.value), one.basis ? el("div", { class: "soft" }, one.basis) : ""),
      el("td", {}, one.rejected ? el("p", { class: "bad" }, "A quote does not stand in the candidate: ", one.rejected) : "",
        (one.answers || []).map((answer) => el("div", {},
          answer.by ? el("span", { class: "soft" }, answer.by + ": ") : "", (one.answers.length > 1 || answer.value !== one.value) ? answer.value : "",
          answer.reason ? el("div", {}, answer.reason) : "", quotes(answer))))));
    parts.push(el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("caption", {}, "Judgments"),
      el("thead", {}, el("tr", {}, ["criterion", "value", "who, why, evidence"].map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, judged))));
    const computed = detail.computed.map((one) => el("tr", {},
      el("td", {}, el("code", {}, one.name), on.has(one.node) ? [" ", el("span", { class: "way" }, "decides")] : "", one.does ? el("div", { class: "soft" }, el("code", {}, one.does)) : ""),
      el("td", {}, el("b", {}, one.value), one.fired === undefined ? "" : el("div", { class: one.fired ? "warn" : "soft" }, one.fired ? "fired" : "did not fire")),
      el("td", {}, (one.parts || []).map(([source, value, gives]) => el("div", {}, el("code", {}, source), ` = ${value} gives ${gives}`)))));
    if (computed.length) {
      parts.push(el("div", { class: "wide", tabindex: "0" }, el("table", {}, el("caption", {}, "Computed from them"),
        el("thead", {}, el("tr", {}, ["node", "value", "what gave it"].map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, computed))));
    }
    const picture = document.querySelector(`#graph-${detail.program} svg`);
    if (picture) parts.push(el("details", { class: "pictured" }, el("summary", {}, "The graph with this record"), el("div", { class: "graph", tabindex: "0" }, drawn(picture, detail))));
    return parts;
  }

  // A copy of the program's picture with the values of a record in it.
  function drawn(picture, detail) {
    const copy = picture.cloneNode(true);
    const values = new Map(detail.values);
    const on = new Set(detail.way);
    const cards = new Map();
    for (const card of copy.querySelectorAll("g.card")) {
      const nodes = card.getAttribute("data-n").split(" ").map(Number);
      const isOn = nodes.some((node) => on.has(node));
      cards.set(card.getAttribute("data-c"), isOn);
      card.classList.add(isOn ? "on" : "off");
      const fired = detail.computed.some((one) => one.fired === true && nodes.length === 1 && one.node === nodes[0]);
      if (fired) { card.classList.add("fired"); card.classList.remove("off"); }
      const type = card.querySelector("text.type");
      if (nodes.length === 1 && values.has(nodes[0])) {
        const value = values.get(nodes[0]);
        if (type) type.textContent = value.length > 22 ? value.slice(0, 21) + "…" : value;
        const tip = card.querySelector("title");
        if (tip) tip.textContent += "\n= " + value;
      }
      for (const row of card.querySelectorAll("text[data-n]")) {
        const value = values.get(Number(row.getAttribute("data-n")));
        if (value !== undefined) row.append((value === "true" ? "  ✓" : value === "false" ? "  ✗" : "  ?"));
      }
    }
    for (const arrow of copy.querySelectorAll("g.arrow")) {
      if (!arrow.getAttribute("data-e").split(" ").every((card) => cards.get(card))) arrow.classList.add("off");
    }
    return copy;
  }

  // A text with the quotes in it marked.
  function marked(text, quotes) {
    const spans = [];
    for (const quote of quotes) {
      const at = quote ? text.indexOf(quote) : -1;
      if (at >= 0) spans.push([at, at + quote.length]);
    }
    spans.sort((a, b) => a[0] - b[0]);
    const parts = [];
    let done = 0;
    for (const [from, to] of spans) {
      if (from < done) continue;
      parts.push(text.slice(done, from), el("mark", {}, text.slice(from, to)));
      done = to;
    }
    parts.push(text.slice(done));
    return parts;
  }

  // What is looked at stands in the address, so that it can be sent to somebody.
  function write() {
    const words = new URLSearchParams();
    if (state.q) words.set("q", state.q);
    if (state.show !== "all") words.set("show", state.show);
    if (state.sort !== (data.labels ? "off" : "order")) words.set("sort", state.sort);
    if (state.id) words.set("id", state.id);
    if (state.candidate !== null) words.set("candidate", state.candidate);
    const hash = words.toString();
    if (hash !== location.hash.slice(1)) history.replaceState(null, "", "#" + hash);
  }
  function read() {
    const words = new URLSearchParams(location.hash.slice(1));
    state.q = words.get("q") || "";
    state.show = words.get("show") || "all";
    state.sort = words.get("sort") || (data.labels ? "off" : "order");
    state.id = words.get("id") || "";
    state.candidate = words.get("candidate");
    $("q").value = state.q;
    const option = (list, value) => { if ([...list.options].some((one) => one.value === value)) list.value = value; };
    option($("show"), state.show);
    option($("sort"), state.sort);
    pages = 1;
    find();
    const row = rows.find((one) => one.id === state.id && (one.candidate ?? null) === state.candidate) || rows.find((one) => one.id === state.id);
    if (row) one(row);
  }

  function options() {
    const gates = [...new Set(rows.flatMap(details).flatMap((detail) => detail.fired))];
    const statuses = Object.keys(data.words).filter((status) => rows.some((row) => row.cells.some((cell) => cell && cell.status === status)));
    const tags = [...new Set(rows.flatMap((row) => row.tags || []))].slice(0, 200);
    const add = (list, value, text) => list.append(el("option", { value }, text));
    const show = $("show");
    add(show, "all", "all");
    if (rows.some(shows.failing)) add(show, "failing", "what does not pass");
    if (data.labels) add(show, "off", "what differs from its label");
    if (runs.length > 1) add(show, "differ", "where the runs differ");
    for (const status of statuses) add(show, "status:" + status, data.words[status]);
    for (const gate of gates) add(show, "gate:" + gate, "fired: " + gate);
    for (const tag of tags) add(show, "tag:" + tag, "tag: " + tag);
    const sort = $("sort");
    if (data.labels) add(sort, "off", "worst disagreements first");
    add(sort, "order", "as in the file");
    if (rows.some((row) => number(row) !== null)) { add(sort, "low", "lowest first"); add(sort, "high", "highest first"); }
    add(sort, "name", "by name");
  }

  let typing;
  $("q").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => { state.q = $("q").value; pages = 1; find(); write(); }, 120);
  });
  for (const which of ["show", "sort"]) {
    $(which).addEventListener("change", () => { state[which] = $(which).value; pages = 1; find(); write(); });
  }
  document.querySelector("form.find").addEventListener("submit", (event) => event.preventDefault());
  // An address such as #outcomes is a place in the page.
  addEventListener("hashchange", () => { if (location.hash.includes("=")) read(); });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(input|select|textarea)$/i.test(event.target.tagName)) return;
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
    if (event.key === "/") { event.preventDefault(); $("q").focus(); }
  });
  options();
  read();
  if (!state.id && shown.length) {
    state.id = shown[0].id;
    state.candidate = shown[0].candidate ?? null;
    list();
    one(shown[0]);
  }
  document.documentElement.dataset.ready = "true";
})();
