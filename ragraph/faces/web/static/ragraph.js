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

// Selecting words of one passage offers to quote them; the server checks them word for word.
const quoted = find("#quoted");
const prose = find(".prose");
if (quoted && prose) {
  const button = find("#quote-it");
  const passageOf = (place) => (place && (place.closest ? place : place.parentElement)).closest(".prose .node[id]");
  const selected = () => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !prose.contains(selection.anchorNode)) return null;
    const [from, to] = [passageOf(selection.anchorNode), passageOf(selection.focusNode)];
    const words = selection.toString().replace(/\s+/g, " ").trim().replace(/\s*\u00b6$/, "");
    return from && from === to && words ? { node: from.id, words } : null;
  };
  document.addEventListener("selectionchange", () => {
    if (quoted.querySelector("blockquote") && !selected()) return; // an answer stays until the next selection
    quoted.hidden = !selected();
    if (selected()) quoted.replaceChildren(button);
  });
  button.addEventListener("mousedown", (event) => event.preventDefault()); // keeps the selection
  button.addEventListener("click", async () => {
    const chosen = selected();
    if (!chosen) return;
    const parts = [prose.dataset.document, chosen.node].map(encodeURIComponent);
    const asked = new URLSearchParams({ quote: chosen.words, style: style ? style.value : "apa" });
    const answer = await fetch(`/api/documents/${parts[0]}/nodes/${parts[1]}/citation?${asked}`);
    const said = await answer.json();
    const block = document.createElement("blockquote");
    block.className = "citation";
    const lines = answer.ok ? [`\u201c${said.citation.excerpt}\u201d ${said.inline}`, ...said.bibliography] : [said.detail];
    for (const line of lines.filter(Boolean)) block.append(Object.assign(document.createElement("p"), { textContent: line }));
    quoted.replaceChildren(block);
    if (!answer.ok) return;
    const copy = Object.assign(document.createElement("button"), { type: "button", textContent: "Copy the quote" });
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(lines.filter(Boolean).join("\n"));
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
        say(line, job.reason ? `${job.status}: ${job.reason}` : job.status, job.document_id && job.status !== "failed" ? "done" : "failed");
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
    const there = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("#listed");
    if (answer.ok && there) find("#listed").replaceWith(there);
  };
  const sendAll = async (files) => {
    for (const file of files) await send(file);
    await refresh();
  };
  upload.addEventListener("submit", (event) => {
    event.preventDefault();
    sendAll([...find("#file").files]);
    upload.reset();
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
      told.textContent = data.sufficient ? "Every quote was checked." : `The store is not sufficient${data.missing ? `: ${data.missing}` : ""}.`;
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
