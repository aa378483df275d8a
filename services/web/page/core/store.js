/** The one store of state. Whoever changes it says what changes; everybody who subscribed hears of it once a frame. */

/** @template State */
export class Store {
  /** @type {Set<(state: State) => void>} */
  #listeners = new Set();
  #isTold = true;
  #awaitsFrame = false;

  /** @param {State} state */
  constructor(state) {
    this.state = state;
  }

  /** Change some fields. @param {Partial<State>} change */
  update(change) {
    this.state = { ...this.state, ...change };
    this.#isTold = false;
    // A page in the background gets no frames, also none that it asked for before. But what it says aloud must not wait.
    if (document.visibilityState !== "visible") queueMicrotask(() => this.#tell());
    else if (!this.#awaitsFrame) this.#atNextFrame();
  }

  #atNextFrame() {
    this.#awaitsFrame = true;
    requestAnimationFrame(() => {
      this.#awaitsFrame = false;
      this.#tell();
    });
  }

  #tell() {
    if (this.#isTold) return;
    this.#isTold = true;
    for (const listener of this.#listeners) listener(this.state);
  }

  /** Call a function after changes, until the answer is called. @param {(state: State) => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
