// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Keeps the page up to date: one stream while the page is visible, and ages that grow. The page works without it.
"use strict";
(() => {
  const main = document.getElementById("main");
  const link = document.getElementById("link");
  const mostLines = 2000;
  let stream = null;

  // same reports whether two nodes can be turned into each other.
  const same = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || "") === (b.id || "");

  // attributes takes over the attributes of an element, apart from what the reader has opened.
  function attributes(from, to) {
    for (const { name } of [...from.attributes]) {
      if (!to.hasAttribute(name) && name !== "open") from.removeAttribute(name);
    }
    for (const { name, value } of [...to.attributes]) {
      if (from.getAttribute(name) !== value) from.setAttribute(name, value);
    }
  }

  // become turns a node into another one and touches only what differs, so that focus, selection and scroll positions stay.
  function become(from, to) {
    if (from.nodeType !== Node.ELEMENT_NODE) {
      if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
      return;
    }
    if (from.isEqualNode(to)) return;
    attributes(from, to);
    const field = from.nodeName === "INPUT" || from.nodeName === "SELECT" || from.nodeName === "TEXTAREA";
    if (field || from.hasAttribute("data-keep")) return;
    children(from, to);
  }

  function children(from, to) {
    const byId = new Map();
    for (const child of from.children) if (child.id) byId.set(child.id, child);
    let at = from.firstChild;
    for (const wanted of [...to.childNodes]) {
      const known = wanted.id ? byId.get(wanted.id) : null;
      if (known && same(known, wanted)) {
        if (known === at) at = at.nextSibling;
        else from.insertBefore(known, at);
        become(known, wanted);
      } else if (at && !wanted.id && same(at, wanted)) {
        const next = at.nextSibling;
        become(at, wanted);
        at = next;
      } else {
        from.insertBefore(document.importNode(wanted, true), at);
      }
    }
    while (at) {
      const next = at.nextSibling;
      at.remove();
      at = next;
    }
  }

  // human writes a duration as the server does.
  function human(seconds) {
    const m = Math.floor(seconds / 60), h = Math.floor(seconds / 3600), d = Math.floor(h / 24);
    if (seconds < 120) return Math.max(0, seconds) + "s";
    if (m < 10) return m + "m" + (seconds % 60 ? (seconds % 60) + "s" : "");
    if (h < 3) return m + "m";
    if (h < 8) return h + "h" + (m % 60 ? (m % 60) + "m" : "");
    if (h < 48) return h + "h";
    if (d < 8) return d + "d" + (h % 24 ? (h % 24) + "h" : "");
    if (d < 730) return d + "d";
    return Math.floor(d / 365) + "y" + (d < 2920 && d % 365 ? (d % 365) + "d" : "");
  }

  function ages() {
    const now = Date.now();
    for (const time of document.querySelectorAll("main time:not(.line):not([data-clock])")) {
      const text = human(Math.floor((now - Date.parse(time.dateTime)) / 1000));
      if (time.textContent !== text) time.textContent = text;
    }
  }

  function log({ pod, reset, lines }) {
    const box = document.getElementById("log-lines");
    if (!box) return;
    const follows = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    if (reset) box.replaceChildren();
    document.getElementById("log-of").textContent = "Pod " + pod + (box.childNodes.length + lines.length ? "" : ": no line so far");
    box.append(...lines.map((line) => document.createTextNode(line + "\n")));
    while (box.childNodes.length > mostLines) box.firstChild.remove();
    if (follows) box.scrollTop = box.scrollHeight;
  }

  function say(text, bad) {
    link.textContent = text;
    link.className = bad ? "link bad" : "link";
  }

  function open() {
    if (stream) return;
    const at = new URL(location.href);
    at.searchParams.set("log", "1");
    stream = new EventSource(at);
    stream.addEventListener("open", () => say("Live", false));
    stream.addEventListener("view", (event) => {
      const parsed = new DOMParser().parseFromString("<main>" + JSON.parse(event.data) + "</main>", "text/html");
      children(main, parsed.querySelector("main"));
      ages();
      document.body.dataset.updates = Number(document.body.dataset.updates || 0) + 1;
    });
    stream.addEventListener("log", (event) => log(JSON.parse(event.data)));
    stream.addEventListener("error", () => {
      const refused = stream.readyState === EventSource.CLOSED; // it was answered, by something else than updates
      if (!navigator.onLine) say("Offline: what you see may be outdated", true);
      else if (refused) say("No updates: load this page again, your login may have ended", true);
      else say("Connection lost: what you see may be outdated", true);
      if (refused) {
        close();
        setTimeout(visible, 5000);
      }
    });
  }

  function close() {
    if (stream) stream.close();
    stream = null;
  }

  // Browsers open few connections to one host: pages that are not seen hold none.
  function visible() {
    if (document.visibilityState === "visible") open();
    else close();
  }

  document.addEventListener("visibilitychange", visible);
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", visible);
  window.addEventListener("online", () => { close(); visible(); });
  document.addEventListener("change", (event) => {
    if (event.target.form && event.target.form.hasAttribute("data-submit") && event.target.nodeName === "SELECT") event.target.form.requestSubmit();
  });
  setInterval(ages, 1000);
  visible();
})();
