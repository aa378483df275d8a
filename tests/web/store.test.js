/** The page's store: listeners hear of changes once a frame, and at once where there are no frames. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../../services/web/page/core/store.js";

/** A store on a page whose frames are drawn by hand. */
function setUp() {
  /** @type {(() => void)[]} */
  const frames = [];
  const page = { visibilityState: "visible" };
  Object.assign(globalThis, { document: page, requestAnimationFrame: (/** @type {() => void} */ draw) => frames.push(draw) });
  /** @type {number[]} */
  const heard = [];
  const store = new Store({ count: 0 });
  store.subscribe(({ count }) => heard.push(count));
  return { draw: () => frames.splice(0).forEach((frame) => frame()), frames, heard, page, store };
}

test("several changes are heard of once, at the next frame", () => {
  const { draw, frames, heard, store } = setUp();
  for (let count = 1; count < 4; count += 1) store.update({ count });
  assert.equal(frames.length, 1);
  assert.deepEqual(heard, []);
  draw();
  draw();
  assert.deepEqual(heard, [3]);
  store.update({ count: 4 });
  draw();
  assert.deepEqual(heard, [3, 4]);
});

test("a page in the background hears at once, also if it still waits for a frame", async () => {
  const { draw, heard, page, store } = setUp();
  store.update({ count: 1 });
  page.visibilityState = "hidden";
  store.update({ count: 2 });
  await null;
  assert.deepEqual(heard, [2]);
  draw();
  assert.deepEqual(heard, [2]);
  page.visibilityState = "visible";
  store.update({ count: 3 });
  draw();
  assert.deepEqual(heard, [2, 3]);
});
