/** Only the newest of several loads counts: a slow answer to an old question must not replace a new one. */

export class Latest {
  /** @type {AbortController | null} */
  #running = null;

  /** Begin another load; the one before ends. @param {AbortSignal} leaving @returns {AbortSignal} */
  begin(leaving) {
    this.#running?.abort();
    this.#running = new AbortController();
    return AbortSignal.any([leaving, this.#running.signal]);
  }

  /**
   * Load something into the state of a page, and note what goes wrong.
   * @template State
   * @param {{update: (change: any) => void, signal: AbortSignal, failed: (error: unknown) => any}} app
   * @param {(signal: AbortSignal) => Promise<Partial<State>>} load
   */
  async into(app, load) {
    const signal = this.begin(app.signal);
    app.update({ loading: true, problem: null });
    try {
      const loaded = await load(signal);
      if (!signal.aborted) app.update({ ...loaded, loading: false });
    } catch (error) {
      if (!signal.aborted) app.update({ loading: false, problem: app.failed(error) });
    }
  }
}
