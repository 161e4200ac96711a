// Keys, focus, copying, uploads: the functions of pages beyond links and forms. The pages work without this file.
"use strict";

const find = (selector) => document.querySelector(selector);
const visit = (selector) => {
  const link = find(selector);
  if (link) link.click();
  return Boolean(link);
};

for (const button of document.querySelectorAll("[data-keys], [data-copy]")) button.hidden = false;

const keys = find("#keys");
find("[data-keys]").addEventListener("click", () => keys.showModal());

const zoom = (step) => {
  const sizes = [...document.querySelectorAll(".zoom a")];
  const size = sizes[sizes.findIndex((link) => link.hasAttribute("aria-current")) + step];
  if (size) size.click();
};
const focusHit = (step) => { // where hits are a list of links, and not one after the other
  const links = [...document.querySelectorAll(".hits.long > li > a")];
  const at = links.indexOf(document.activeElement);
  const link = links[at < 0 ? (step > 0 ? 0 : -1) : at + step];
  if (link) link.focus();
};
const typing = (target) => target.matches("input, select, textarea");
const escape = (event) => {
  if (typing(event.target)) event.target.blur();
  else if (!visit(".leave-node")) visit(".leave");
};
const actions = {
  "/": () => { const field = find("#q"); if (field) { field.focus(); field.select(); } },
  "n": () => visit("a[rel=next]") || focusHit(1),
  "p": () => visit("a[rel=prev]") || focusHit(-1),
  "?": () => keys.showModal(),
  "+": () => zoom(1),
  "-": () => zoom(-1),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || keys.open) return;
  if (event.key === "Escape") return escape(event);
  if (typing(event.target) || !(event.key in actions)) return;
  event.preventDefault();
  actions[event.key]();
});

// Scrolls every column to the selected passage, focuses its box, and announces the hit.
const box = find(".box.selected");
const passage = find(".prose .selected");
const into = (element, block) => element.scrollIntoView({ block, inline: "nearest" });
const wide = window.matchMedia("(min-width: 64rem)").matches; // columns that scroll by themselves
const current = find(".hits [aria-current]");
if (current) into(current, "nearest");
const open = find(".outline [aria-current]");
if (open && !current) into(open, "nearest");
const show = () => {
  if (passage && (wide || !box)) into(passage, "center");
  if (!box) return;
  into(box, "center");
  box.focus({ preventScroll: true });
};
show();
window.addEventListener("load", () => requestAnimationFrame(show)); // after the browser has scrolled to the fragment
const status = find("#status");
if (status) {
  const words = status.textContent;
  status.textContent = "";
  setTimeout(() => { status.textContent = words; }, 100); // screen readers do not read text that is present at first
}

// Following a marker or note within the text also selects its box.
const point = () => {
  for (const other of document.querySelectorAll(".box.pointed")) other.classList.remove("pointed");
  const name = location.hash.slice(1).replace(/^mark-/, "");
  for (const other of document.querySelectorAll(".box")) other.classList.toggle("pointed", other.dataset.node === name);
};
window.addEventListener("hashchange", point);
point();
// In narrow windows the contents are folded, so that the text comes first.
const outline = find(".outline");
if (outline && !wide) outline.open = false;

for (const button of document.querySelectorAll("[data-copy]")) {
  button.addEventListener("click", async () => {
    const words = [...find(`#${button.dataset.copy}`).querySelectorAll("p")].map((line) => line.textContent).join("\n");
    await navigator.clipboard.writeText(`${words}\n${location.href}`);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
}

// Selecting words offers to quote them; the server checks them word for word.
const quoted = find("#quoted");
const prose = find(".prose");
if (quoted && prose) {
  const button = find("#quote-it");
  const paragraph = (words, className) => Object.assign(document.createElement("p"), { textContent: words, className: className || "" });
  // The words of a passage as it has them, with a bar between cells and without marks of notes, and where the selection
  // begins and ends in them.
  const read = (node, range) => {
    let [text, from, to] = ["", -1, 0];
    let [column, barred] = [0, 0]; // the next column of the row, and the columns that have their bar
    const covered = []; // by column, the number of rows that a cell above still reaches into
    const skip = () => { while (covered[column] > 0) covered[column++] -= 1; };
    const bar = (until) => { text += " | ".repeat(Math.max(0, until - barred)); };
    const walk = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let part = walk.nextNode(); part; part = walk.nextNode()) {
      if (part.nodeType === Node.ELEMENT_NODE) {
        if (part.matches("tr")) {
          skip();
          bar(column - 1);
          text += "\n";
          [column, barred] = [0, 0];
        } else if (part.matches("td, th")) {
          skip();
          bar(column);
          barred = column;
          for (let place = 0; place < part.colSpan; place += 1) covered[column++] = part.rowSpan - 1;
        }
        continue;
      }
      if (part.parentElement.closest("sup, .pin, .back") || part.parentElement.closest(".node[id]") !== node) continue;
      if (range.intersectsNode(part)) {
        const start = part === range.startContainer ? range.startOffset : 0;
        const end = part === range.endContainer ? range.endOffset : part.length;
        if (from < 0 && start < end) from = text.length + start;
        if (start < end) to = text.length + end;
      }
      text += part.data;
    }
    return { node: node.id, text, from, to };
  };
  const wordsOf = ({ text, from, to }) => text.slice(Math.max(0, from), to).replace(/\s+/g, " ").trim();
  const selected = () => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed) return [];
    const range = selection.getRangeAt(0);
    const passages = [...prose.querySelectorAll(".node[id]")].filter((node) => range.intersectsNode(node));
    return passages.map((node) => read(node, range)).filter(wordsOf);
  };
  // The selected words, then with their ends widened to whole words, then up to white space, as for (1,200).
  const widened = ({ text, from, to, marker }) => {
    const begin = marker && text.trimStart().startsWith(marker) ? text.indexOf(marker) + marker.length : 0;
    const wide = (before, after) => wordsOf({
      text,
      from: Math.max(begin, from - before.exec(text.slice(0, from))[0].length),
      to: to + after.exec(text.slice(to))[0].length,
    });
    const all = [wide(/$/, /^/), wide(/[\p{L}\p{M}\p{N}]*$/u, /^[\p{L}\p{M}\p{N}]*/u), wide(/\S*$/, /^\S*/)];
    return [...new Set(all)].filter(Boolean);
  };
  let pressed = false; // while a mouse selects, nothing appears under it
  const offer = () => {
    if (pressed) return;
    const passages = selected();
    if (quoted.querySelector("blockquote") && !passages.length) return; // an answer stays until the next press or selection
    quoted.hidden = !passages.length;
    if (!passages.length) return;
    quoted.replaceChildren(button);
  };
  document.addEventListener("selectionchange", offer);
  document.addEventListener("pointerdown", (event) => {
    if (quoted.contains(event.target)) return;
    pressed = true;
    quoted.hidden = true;
    quoted.replaceChildren(button);
  });
  for (const name of ["pointerup", "pointercancel"]) {
    document.addEventListener(name, () => {
      if (!pressed) return;
      pressed = false;
      setTimeout(offer); // a press within a selection ends it after this event
    });
  }
  button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the selection
  // The answer of the server to the words of a passage: a checked quote, or why there is none.
  const cite = async (passage) => {
    const address = `/api/documents/${[prose.dataset.document, passage.node].map(encodeURIComponent).join("/nodes/")}`;
    let answer = await fetch(address);
    let said = await answer.json();
    const marker = said.data && said.data.marker; // the number of a list item or note is shown, but not in its words
    for (const quote of answer.ok ? widened({ ...passage, marker }) : []) {
      const asked = new URLSearchParams({ quote, style: style ? style.value : "apa" });
      answer = await fetch(`${address}/citation?${asked}`);
      said = await answer.json();
      if (answer.ok || answer.status >= 500) break;
    }
    if (answer.ok) return said;
    const gone = {
      DocumentNotFoundError: "This document is no longer in the library.",
      NodeNotFoundError: "This passage is no longer in the document: load the page again.",
    };
    const words = wordsOf(passage);
    return { refused: answer.status === 422
      ? `This cannot be quoted: select words of the passage as they follow each other. “${words.slice(0, 40)}${words.length > 40 ? "…" : ""}”`
      : gone[said.error] || said.detail };
  };
  button.addEventListener("click", async () => {
    const answers = [];
    for (const passage of selected()) answers.push(await cite(passage)); // one quote for each passage
    if (!answers.length) return;
    const quotes = answers.filter((answer) => !answer.refused);
    const lines = [
      ...quotes.map((answer) => `\u201c${answer.citation.excerpt}\u201d ${answer.inline}`),
      ...new Set(quotes.flatMap((answer) => answer.bibliography)),
    ].filter(Boolean);
    const block = document.createElement("blockquote");
    block.className = "citation";
    block.append(...[...lines, ...new Set(answers.map((answer) => answer.refused).filter(Boolean))].map((line) => paragraph(line)));
    quoted.replaceChildren(block);
    if (!quotes.length) return;
    const copy = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy the quote" });
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(lines.join("\n"));
      copy.textContent = "Copied";
    });
    quoted.append(copy);
    copy.focus();
  });
}

const style = find("#style");
if (style) {
  style.addEventListener("change", () => style.form.submit());
  style.form.querySelector("button").hidden = true;
}

const upload = find("#upload");
if (upload) {
  const jobs = find("#jobs");
  const say = (line, words, name) => { line.lastChild.textContent = words; line.className = name || ""; };
  const follow = async (line, id) => {
    for (;;) {
      const answer = await fetch(`/api/jobs/${id}`);
      const job = await answer.json();
      if (!answer.ok) return say(line, job.message, "failed");
      const bar = line.querySelector("progress");
      if (job.total) { bar.max = job.total; bar.value = job.done; }
      if (job.status === "waiting" || job.status === "running") say(line, job.step || "waiting");
      else {
        bar.remove();
        const reason = job.reason || (job.status === "changed" ? "replaced the earlier file of this name" : "");
        say(line, reason ? `${job.status}: ${reason}` : job.status, job.document_id && job.status !== "failed" ? "done" : "failed");
        if (job.document_id) {
          const link = document.createElement("a");
          link.href = `/documents/${encodeURIComponent(job.document_id)}`;
          link.textContent = line.firstChild.textContent;
          line.firstChild.replaceWith(link);
        }
        return undefined;
      }
      await new Promise((next) => { setTimeout(next, 400); });
    }
  };
  const send = async (file) => {
    const line = document.createElement("li");
    const name = document.createElement("span");
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", file.name);
    name.textContent = file.name;
    line.append(name, bar, document.createElement("span"));
    jobs.append(line);
    const body = new FormData();
    body.append("collection", document.getElementById("into").value || "default");
    body.append("file", file);
    const answer = await fetch("/api/documents", { method: "POST", body });
    const job = await answer.json();
    if (answer.ok) await follow(line, job.id);
    else { bar.remove(); say(line, job.message, "failed"); }
  };
  const refresh = async () => {
    const answer = await fetch(window.location.href);
    if (!answer.ok) return;
    const there = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const selector of ["#listed", ".filters", "#collections"]) {
      const [old, fresh] = [find(selector), there.querySelector(selector)];
      if (fresh && !old.contains(document.activeElement)) old.replaceWith(fresh); // nobody is filling it in
    }
  };
  const sendAll = async (files) => {
    for (const file of files) await send(file);
    await refresh();
  };
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    sendAll([...find("#file").files]);
    find("#file").value = ""; // the collection stays as it was chosen
  });
  for (const name of ["dragenter", "dragover"]) {
    upload.addEventListener(name, (event) => { event.preventDefault(); upload.classList.add("over"); });
  }
  upload.addEventListener("dragleave", () => upload.classList.remove("over"));
  upload.addEventListener("drop", (event) => {
    event.preventDefault();
    upload.classList.remove("over");
    sendAll([...event.dataTransfer.files]);
  });
}

// Shows an answer as it arrives: the steps, then each claim with its quotes, which link to their boxes.
const answer = find("[data-answer]");
if (answer) {
  const told = find("#answer-status");
  const steps = { conversation: "Reading the conversation …", search: "Searching …", expand: "Gathering passages …", model: "The model reads …", look: "The model looks further …", check: "Checking quotes …" };
  const made = (name, words, className) => {
    const element = document.createElement(name);
    element.textContent = words;
    if (className) element.className = className;
    return element;
  };
  const claim = (data) => {
    const line = made("li", "");
    const quotes = made("ul", "", "quotes");
    for (const quote of data.quotes) {
      const link = made("a", "");
      link.href = quote.url;
      link.append(made("q", quote.text), " ", made("span", quote.place, "where"));
      quotes.append(made("li", ""));
      quotes.lastChild.append(link);
    }
    line.append(made("p", data.text), quotes);
    find("#claims").append(line);
  };
  const fail = (message) => {
    told.textContent = message;
    told.className = "trouble";
  };
  const events = {
    step: (data) => { told.textContent = steps[data.step] || told.textContent; },
    claim,
    failed: (data) => fail(data.message),
    answer: (data) => {
      if (data.talk) {
        window.history.replaceState(null, "", `/answer?talk=${encodeURIComponent(data.talk)}`); // a reload asks no more
        const field = Object.assign(document.createElement("input"), { type: "hidden", name: "talk", value: data.talk });
        const form = find(".ask");
        for (const old of form.querySelectorAll("[name=talk]")) old.remove();
        form.append(field);
      }
      if (data.asked_as) told.before(made("p", `Understood as: ${data.asked_as}`, "count"));
      const dropped = data.dropped.length ? " What did not hold was left out." : "";
      told.textContent = data.sufficient ? `Every quote was checked.${dropped}` : `The store is not sufficient${data.missing ? `: ${data.missing}` : ""}.${dropped}`;
    },
  };
  const listen = async () => {
    const stream = await fetch(answer.dataset.answer);
    if (!stream.ok) return fail((await stream.json()).message);
    const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      const parts = (text + value).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const found = /^event: (\w+)\ndata: (.*)$/.exec(part);
        if (found) events[found[1]](JSON.parse(found[2]));
      }
    }
  };
  listen().catch(() => fail("The connection was lost; load the page again."));
}
