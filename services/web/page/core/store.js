/** The one store of state. Whoever changes it says what changes; everybody who subscribed hears of it once a frame. */

/** @template State */
export class Store {
  /** @type {Set<(state: State) => void>} */
  #listeners = new Set();
  #scheduled = false;

  /** @param {State} state */
  constructor(state) {
    this.state = state;
  }

  /** Change some fields. @param {Partial<State>} change */
  update(change) {
    this.state = { ...this.state, ...change };
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A page in the background gets no frames, but what it says aloud must not wait.
    const schedule = document.visibilityState === "visible" ? requestAnimationFrame : queueMicrotask;
    schedule(() => {
      this.#scheduled = false;
      for (const listener of this.#listeners) listener(this.state);
    });
  }

  /** Call a function after changes, until the answer is called. @param {(state: State) => void} listener */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
