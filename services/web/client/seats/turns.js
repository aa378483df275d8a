/** Work that is done in turns: checking a game takes several steps, and nothing may come between them. */

export class Turns {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /** The result of work that begins when all work before it has ended. @template Result @param {() => Promise<Result>} work */
  take(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {}); // The caller gets the error; the next one has nothing to do with it.
    return done;
  }
}
