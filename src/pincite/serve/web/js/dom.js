// Building what is shown. Text from documents goes in as text nodes and nowhere else: there is no innerHTML in this page.

const SVG = "http://www.w3.org/2000/svg";
const TAKEN = new Set(["text", "on", "data"]);

/** An element: `h("a", {class: "x", href: "/y", on: {click}}, "text", other)`. Children that are null or false are left out. */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same, of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (TAKEN.has(name) || value === null || value === undefined || value === false) continue;
    if (/^on|^style$|^srcdoc$/i.test(name)) throw new Error(`${name} is not set as an attribute here`);
    if (name === "href" && !isSafe(value)) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [event, listener] of Object.entries(attributes.on ?? {})) node.addEventListener(event, listener);
  for (const [key, value] of Object.entries(attributes.data ?? {})) node.dataset[key] = value;
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Whether an address may be followed: this server's own, or http(s). `javascript:` and its kin may not. */
export function isSafe(address) {
  try {
    return ["http:", "https:"].includes(new URL(address, location.origin).protocol);
  } catch {
    return false;
  }
}

/** Text of unknown direction, kept from turning its surroundings around. */
export function isolated(text) {
  return h("bdi", {}, String(text ?? ""));
}

export const byId = (id) => document.getElementById(id);

/** Tell those who listen to the page. */
export function announce(text) {
  const place = byId("announcements");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 30);
}

/** A modal dialog that is made, shown, and taken away when it closes. */
export function dialog(title, ...content) {
  const heading = h("h2", { id: `title-${crypto.getRandomValues(new Uint32Array(1))[0]}` }, title);
  const made = h("dialog", { "aria-labelledby": heading.id }, heading, ...content);
  const before = document.activeElement;
  made.addEventListener("close", () => {
    made.remove();
    if (before?.isConnected) before.focus();
  });
  document.body.append(made);
  made.showModal();
  return made;
}

/** Close the open menus (`<details class="menu">` and `cite`); true if one was. The focus goes back to what opened it. */
export function closeMenus(except = null) {
  const open = [...document.querySelectorAll("details.menu[open], details.cite[open]")].filter((menu) => menu !== except);
  for (const menu of open) {
    const within = menu.contains(document.activeElement);
    menu.open = false;
    if (within) menu.querySelector("summary").focus();
  }
  return open.length > 0;
}
