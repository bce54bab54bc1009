// The frame: menu, the panel on screen, its title, theme and connection.

import { choices, onConnection } from "./api.js";
import { change, complaint, isAsked, link, onChange, panel } from "./design_state.js";
import { failureText, h, put, set } from "./kit.js";
import { GROUPS, PANELS, panelNamed } from "./panels.js";
import { themeSwitch } from "./theme.js";

const main = document.getElementById("main");
const menu = document.getElementById("menu");
const menuButton = document.getElementById("menu-button");
const connection = document.getElementById("connection");
const notice = h("p.notice", { role: "alert", hidden: true });
const sections = new Map();
const built = new Map(); // the module of a section, when it was built: some wait for what the server knows
let visible = null;

function buildMenu() {
  for (const { heading, panels } of GROUPS) {
    const id = `menu-${panels[0].name}`;
    menu.append(
      h("p.menu-heading", { id }, heading),
      h("ul", { "aria-labelledby": id }, panels.map((one) => h("li", h("a", { "data-panel": one.name }, one.title)))),
    );
  }
  menu.append(h("p.menu-foot", "Nothing on this page leaves this machine."));
}

function freshLinks() {
  for (const anchor of menu.querySelectorAll("a")) {
    const name = anchor.dataset.panel;
    set(anchor, { href: link({ panel: name }), "aria-current": name === visible.name ? "page" : null });
  }
}

function openMenu(open) {
  menu.classList.toggle("open", open);
  menuButton.setAttribute("aria-expanded", String(open));
}

function sectionOf(one) {
  let section = sections.get(one.name);
  if (!section) {
    const heading = h("h1", { id: `title-${one.name}`, tabindex: "-1" }, one.heading);
    const root = h("div.panel-body");
    section = h(
      "section.panel", { id: `panel-${one.name}`, "aria-labelledby": heading.id, hidden: true },
      heading, root,
    );
    sections.set(one.name, section);
    main.append(section);
    set(section, { "aria-busy": "true" });
    built.set(section, guarded(section, () => fill(one, root)).finally(() => set(section, { "aria-busy": null })));
  }
  return section;
}

async function fill(one, root) {
  const module = await one.load();
  if (module.lead) root.before(h("p.lead", module.lead));
  await module.build(root, { titleOf });
  return module;
}

function titleOf(name) {
  return panelNamed(name).title;
}

async function guarded(section, action) {
  try {
    return await action();
  } catch (error) {
    section.append(h("p.message.failed", { role: "alert" }, failureText(error)));
    console.error(error);
    return null;
  }
}

function show({ focus }) {
  const next = panelNamed(panel());
  if (next !== visible) {
    const section = sectionOf(next);
    for (const other of sections.values()) {
      other.hidden = other !== section;
    }
    visible = next;
    document.title = `${next.heading} · mechdesign studio`;
    openMenu(false);
    built.get(section).then((module) => guarded(section, () => module?.shown?.()));
    if (focus) {
      window.scrollTo(0, 0);
      section.querySelector("h1").focus({ preventScroll: true });
    }
  }
  freshLinks();
  put(notice, complaint());
  notice.hidden = complaint() === "";
}

function start() {
  buildMenu();
  put(main, notice);
  document.getElementById("theme").append(themeSwitch());
  document.getElementById("skip").addEventListener("click", () => visible && sections.get(visible.name).querySelector("h1").focus());
  menuButton.addEventListener("click", () => openMenu(!menu.classList.contains("open")));
  menu.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      openMenu(false);
      menuButton.focus();
    }
  });
  onConnection((alive) => {
    put(connection, alive ? "" : "The studio has ended. What is on screen stays; start it again to go on.");
  });
  if (!PANELS.some((one) => one.name === panel())) {
    const first = isAsked() ? "design" : PANELS[0].name; // a link of a design opens it
    change({ panel: first }, { commit: false });
    choices("opened").then(({ opened }) => opened && panel() === first && change({ panel: "design" }, { commit: false })).catch(() => {});
  }
  show({ focus: false });
  onChange(() => show({ focus: true }));
}

start();
