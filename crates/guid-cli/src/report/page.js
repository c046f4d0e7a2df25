"use strict";
(() => {
  // Which axis and which order: as the address says, and the address follows.
  const chosen = () => [...document.querySelectorAll("input[type=radio]:checked")];
  const obey = () => {
    for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
      const radio = document.getElementById(`${name}-${value}`);
      if (radio && radio.type === "radio") radio.checked = true;
    }
  };
  addEventListener("hashchange", obey);
  obey();
  addEventListener("change", (event) => {
    if (event.target.type !== "radio") return;
    const hash = new URLSearchParams(chosen().map((radio) => radio.id.split("-")));
    try { history.replaceState(null, "", `#${hash}`); } catch { /* a page without an address */ }
  });

  // What came before an event, what came after, and what did neither.
  const reach = (from, next) => {
    const seen = new Set();
    const todo = [...next[from]];
    while (todo.length) {
      const at = todo.pop();
      if (!seen.has(at)) { seen.add(at); todo.push(...next[at]); }
    }
    return seen;
  };
  const watch = (diagram) => {
    const svg = diagram.querySelector("svg");
    const events = [...svg.querySelectorAll(".e[data-i]")];
    if (!events.length) return;
    const arrows = [...svg.querySelectorAll("[data-a]")];
    const about = diagram.closest("figure").querySelector(".about");
    const before = events.map((e) => (e.dataset.p ? e.dataset.p.split(",").map(Number) : []));
    const after = events.map(() => []);
    before.forEach((list, at) => list.forEach((from) => after[from].push(at)));
    let here = -1;
    const look = (at) => {
      here = at;
      svg.classList.toggle("looking", at >= 0);
      if (at < 0) {
        about.textContent = about.dataset.hint;
        [...events, ...arrows].forEach((e) => e.classList.remove("past", "future", "here"));
        return;
      }
      const past = reach(at, before), future = reach(at, after);
      const of = (i) => (i === at ? "here" : past.has(i) ? "past" : future.has(i) ? "future" : "");
      const mark = (element, which) => {
        for (const name of ["past", "future", "here"]) element.classList.toggle(name, name === which);
      };
      events.forEach((e, i) => mark(e, of(i)));
      arrows.forEach((arrow) => {
        const [from, to] = arrow.dataset.a.split(",").map((i) => of(Number(i)));
        const side = from === "here" ? to : from;
        mark(arrow, from && to && (from === to || from === "here" || to === "here") ? side : "");
      });
      const others = events.length - past.size - future.size - 1;
      about.textContent = `${events[at].querySelector("title").textContent}. Of what is drawn, `
        + `${past.size} in its past, ${future.size} in its future, ${others} concurrent.`;
    };
    svg.addEventListener("pointerover", (event) => {
      const group = event.target.closest(".e[data-i]");
      if (group) look(Number(group.dataset.i));
    });
    svg.addEventListener("pointerleave", () => { if (document.activeElement !== diagram) look(-1); });
    diagram.addEventListener("focus", () => { if (here < 0) look(0); });
    diagram.addEventListener("blur", () => look(-1));
    diagram.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1, Home: -events.length, End: events.length }[event.key];
      if (event.key === "Escape") look(-1);
      if (!step) return;
      event.preventDefault();
      look(Math.max(0, Math.min(events.length - 1, here + step)));
      events[here].scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  };
  document.querySelectorAll(".diagram").forEach(watch);

  // Larger and smaller, for what is dense.
  document.querySelectorAll("figure").forEach((figure) => {
    const pictures = [...figure.querySelectorAll("svg")];
    const row = figure.querySelector(".zoom");
    if (!pictures.length || !row) return;
    let scale = 1;
    const set = (to) => {
      scale = Math.max(0.5, Math.min(4, to));
      for (const svg of pictures) {
        svg.style.width = `${svg.viewBox.baseVal.width * scale}px`;
        svg.style.height = "auto";
        svg.style.maxWidth = "none";
      }
    };
    for (const [text, label, by] of [["−", "smaller", 1 / 1.5], ["+", "larger", 1.5]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => set(scale * by));
      row.append(button);
    }
  });
  // On paper a diagram that would have to shrink beyond reading stands in pieces, cut where there is
  // nothing but lines, each below the names of the nodes. The first stands below its caption.
  const PAPER = { width: 690, first: 740, more: 900 }, NAMES = 52, SMALLEST = 0.72;
  const piece = (svg, top, bottom) => {
    const { width } = svg.viewBox.baseVal;
    const div = document.createElement("div");
    div.className = "piece";
    const slices = top > 0 ? [[0, NAMES], [top, bottom]] : [[top, bottom]];
    for (const [from, to] of slices) {
      const slice = svg.cloneNode(true);
      slice.removeAttribute("data-cuts");
      slice.setAttribute("viewBox", `0 ${from} ${width} ${to - from}`);
      slice.setAttribute("height", to - from);
      div.append(slice);
    }
    return div;
  };
  const inPieces = (svg) => {
    const { width, height } = svg.viewBox.baseVal;
    const scale = Math.max(1, width / PAPER.width);
    if (height * SMALLEST <= PAPER.first) return;
    const cuts = [...svg.dataset.cuts.split(" ").map(Number), height];
    let top = 0;
    while (top < height) {
      const room = top > 0 ? PAPER.more * scale - NAMES : PAPER.first * scale;
      const within = cuts.filter((cut) => cut > top && cut <= top + room);
      const bottom = height <= top + room ? height : within.length ? within.at(-1) : top + room;
      svg.parentNode.append(piece(svg, top, bottom));
      top = bottom;
    }
    svg.parentNode.classList.add("in-pieces");
  };
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details[open] svg[data-cuts]").forEach((svg) => {
      if (svg.parentNode.querySelector(".piece")) return;
      // What is not chosen is not printed.
      if (getComputedStyle(svg.parentNode).display !== "none") inPieces(svg);
    });
  });
  addEventListener("afterprint", () => {
    document.querySelectorAll(".piece").forEach((piece) => piece.remove());
    document.querySelectorAll(".in-pieces").forEach((one) => one.classList.remove("in-pieces"));
  });
  document.documentElement.dataset.ready = "yes";
})();
