/**
 * The render helper: a page is a function of the state, and `patch` makes the document look like what it returned.
 *
 * `h` describes an element, and `patch` compares the description with the last one and changes only what differs, so that
 * focus, selection and running animations stay where they are. Children with a `key` keep their elements when they move.
 * Texts are always set as texts: nothing that a player wrote is ever read as markup. A description that is returned once more, and not
 * made again, is not compared at all: `Memory` keeps large ones.
 */

/**
 * @typedef {object} Node_ a described element
 * @property {string} tag
 * @property {Attributes} attributes
 * @property {Child[]} children
 * @property {string | number | undefined} key
 */
/** @typedef {Node_ | string} Child */
/** @typedef {Child | number | null | undefined | false | readonly any[]} Children what may stand as a child, also lists of them; nothing is shown for null and false */

/**
 * `on...` are listeners, `style` sets custom properties and styles by name, `class` may be a list in which false parts are
 * left out. `created` is called once with the new element, `removed` when it goes. Everything else is an attribute; true stands for an
 * empty one, and null, undefined and false for none. Properties that are no attributes are set with a dot: `.value`.
 * @typedef {Record<string, any>} Attributes
 */

const SVG = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";

/** @type {WeakMap<Node, Node_>} */
const described = new WeakMap();

/** An element. @param {string} tag @param {Attributes | null} [attributes] @param {...Children} children @returns {Node_} */
export function h(tag, attributes, ...children) {
  return { tag, attributes: attributes ?? {}, children: flat(children), key: attributes?.key };
}

/** Make the children of an element look as described. @param {Element} parent @param {Children} children */
export function patch(parent, children) {
  patchChildren(parent, flat([children]));
}

/** @param {readonly Children[]} children @param {Child[]} [into] @returns {Child[]} */
function flat(children, into = []) {
  for (const child of children) {
    if (Array.isArray(child)) flat(child, into);
    else if (typeof child === "number") into.push(String(child));
    else if (child) into.push(/** @type {Child} */ (child));
  }
  return into;
}

/** @param {Element} parent @param {Child[]} children */
function patchChildren(parent, children) {
  const keyed = children.some((child) => typeof child === "object" && child.key !== undefined) ? keyedElements(parent) : NO_ELEMENTS;
  let next = parent.firstChild;
  for (const child of children) {
    const kept = typeof child === "object" && child.key !== undefined ? keyed.get(child.key) ?? null : unkeyed(next);
    const element = kept !== null && isSame(kept, child) ? kept : null;
    if (element !== null && typeof child === "object") patchElement(/** @type {Element} */ (element), child);
    else if (element !== null && element.nodeValue !== child) element.nodeValue = /** @type {string} */ (child);
    const placed = element ?? create(child, parent);
    if (placed === next) next = next.nextSibling;
    else parent.insertBefore(placed, next);
    if (typeof child === "object" && child.key !== undefined) keyed.delete(child.key);
  }
  while (next !== null) {
    const after = next.nextSibling;
    remove(next);
    next = after;
  }
}

/** @type {Map<string | number, Node>} */
const NO_ELEMENTS = new Map();

/** @param {Element} parent @returns {Map<string | number, Node>} */
function keyedElements(parent) {
  const keyed = new Map();
  for (const child of parent.childNodes) {
    const key = described.get(child)?.key;
    if (key !== undefined) keyed.set(key, child);
  }
  return keyed;
}

/** A node, if it may be used for a child without a key. @param {Node | null} node */
function unkeyed(node) {
  return node !== null && described.get(node)?.key === undefined ? node : null;
}

/** @param {Node} node @param {Child} child */
function isSame(node, child) {
  return typeof child === "string" ? node.nodeType === Node.TEXT_NODE : described.get(node)?.tag === child.tag;
}

/** @param {Child} child @param {Element} parent @returns {Node} */
function create(child, parent) {
  if (typeof child === "string") return document.createTextNode(child);
  const inside = parent.namespaceURI === SVG && parent.localName !== "foreignObject";
  const element = document.createElementNS(child.tag === "svg" || inside ? SVG : HTML, child.tag);
  described.set(element, { ...child, attributes: {} });
  patchElement(element, child);
  child.attributes.created?.(element);
  return element;
}

/** @param {Element} element @param {Node_} child */
function patchElement(element, child) {
  const known = described.get(element);
  // A page that returns a description again, the very same one, says that nothing in it has changed.
  if (known === child) return;
  const before = known?.attributes ?? {};
  for (const name of Object.keys(before)) if (!(name in child.attributes)) setAttribute(element, name, undefined, before[name]);
  // Children first: the value of a <select> can be set only once it has its options.
  patchChildren(element, child.children);
  for (const [name, value] of Object.entries(child.attributes)) {
    if (name.startsWith(".") || value !== before[name]) setAttribute(element, name, value, before[name]);
  }
  described.set(element, child);
}

/** @param {Element} element @param {string} name @param {any} value @param {any} before */
function setAttribute(element, name, value, before) {
  if (name === "key" || name === "created" || name === "removed") return;
  if (name.startsWith("on")) {
    if (before) element.removeEventListener(name.slice(2), before);
    if (value) element.addEventListener(name.slice(2), value);
  } else if (name.startsWith(".")) {
    const target = /** @type {any} */ (element);
    if (target[name.slice(1)] !== value) target[name.slice(1)] = value;
  } else if (name === "style") {
    setStyle(/** @type {HTMLElement} */ (element), value ?? {}, before ?? {});
  } else if (name === "class") {
    const text = Array.isArray(value) ? value.filter(Boolean).join(" ") : value;
    if (text) element.setAttribute("class", text);
    else element.removeAttribute("class");
  } else if (value === null || value === undefined || value === false) {
    element.removeAttribute(name);
  } else {
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {HTMLElement} element @param {Record<string, string | number>} style @param {Record<string, string | number>} before */
function setStyle(element, style, before) {
  for (const name of Object.keys(before)) if (!(name in style)) element.style.removeProperty(name);
  for (const [name, value] of Object.entries(style)) if (before[name] !== value) element.style.setProperty(name, String(value));
}

/** @param {Node} node */
function remove(node) {
  forget(node);
  node.parentNode?.removeChild(node);
}

/** Tell all elements that go. @param {Node} node */
function forget(node) {
  described.get(node)?.attributes.removed?.(node);
  for (const child of node.childNodes) forget(child);
}
