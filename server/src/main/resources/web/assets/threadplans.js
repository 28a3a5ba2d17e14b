// The plans of one chat thread, kept true: read when a connection opens, and again for each plan that the stream
// says has moved. What the server says is the truth; nothing is concluded from an event but that there is news.
import * as api from './api.js';
import { hasEnded, waitingOf } from './plan.js';
import * as rights from './rights.js';

const SHOWN_MAX = 50;

/** Open plans that are read with their steps without being folded out. */
const WHOLE_MAX = 20;

/** Between two requests, so that a plan that moves fast is not asked for at each of its moves. */
const GAP_MS = 150;
const WAIT_FIRST_MS = 1000;
const WAIT_MAX_MS = 15_000;

export class ThreadPlans {
  #threadId;
  #onChange;
  #entries = new Map();
  #listWanted = false;
  #wanted = new Set();
  #working = false;
  #closed = false;
  #versions = 0;

  /** @param onChange called when `all` has changed */
  constructor(threadId, onChange) {
    this.#threadId = threadId;
    this.#onChange = onChange;
  }

  /** [{plan, version}], oldest first; the version tells whether it has changed. */
  get all() {
    return [...this.#entries.values()].sort((one, other) => Date.parse(one.plan.made_at) - Date.parse(other.plan.made_at));
  }

  /** The oldest plan that waits for a person. */
  get waiting() {
    return this.all.find(({ plan }) => waitingOf(plan) > 0)?.plan;
  }

  close() {
    this.#closed = true;
  }

  /** Reads them all again. */
  load() {
    this.#listWanted = true;
    this.#work();
  }

  /** Reads one again, with its steps. */
  read(planId) {
    this.#wanted.add(planId);
    this.#work();
  }

  async #work() {
    if (this.#working) {
      return;
    }
    this.#working = true;
    try {
      for (let failures = 0; !this.#closed && (this.#listWanted || this.#wanted.size > 0); ) {
        failures = (await this.#workOnce()) ? 0 : failures + 1;
        const wait = failures === 0 ? GAP_MS : Math.min(WAIT_FIRST_MS * 2 ** (failures - 1), WAIT_MAX_MS);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    } finally {
      this.#working = false;
    }
  }

  /** Whether the server answered; what it did not answer is asked again. */
  async #workOnce() {
    const listing = this.#listWanted;
    const [planId] = this.#wanted;
    try {
      if (listing) {
        this.#listWanted = false;
        await this.#list();
      } else {
        this.#wanted.delete(planId);
        this.#keep(await api.plan(planId));
      }
    } catch (error) {
      if (!error.status && !error.code) {
        throw error; // A bug of this page, and not a failure of the server.
      }
      if (!error.passing) {
        this.#entries.delete(listing ? '' : planId); // 404: it is not there any more
      } else if (listing) {
        this.#listWanted = true;
      } else {
        this.#wanted.add(planId);
      }
      return !error.passing;
    } finally {
      if (!this.#closed) {
        this.#onChange();
      }
    }
    return true;
  }

  async #list() {
    await rights.known();
    const [newest, open] = await Promise.all(
      ['all', 'open'].map((state) => api.plans({ thread: this.#threadId, state, limit: SHOWN_MAX })),
    );
    const lines = new Map([...newest.plans, ...open.plans].map((line) => [line.plan_id, line]));
    const before = this.#entries;
    this.#entries = new Map();
    let whole = 0;
    for (const [id, line] of lines) {
      const known = before.get(id);
      const steps = known?.plan.steps && { steps: known.plan.steps, moves: known.plan.moves };
      this.#keep({ ...line, ...steps });
      if (steps || (!hasEnded(line) && whole++ < WHOLE_MAX)) {
        this.#wanted.add(id);
      }
    }
  }

  #keep(plan) {
    if (plan.thread_id !== this.#threadId) {
      return;
    }
    this.#entries.set(plan.plan_id, { plan, version: ++this.#versions });
    if (this.#entries.size > 2 * SHOWN_MAX) {
      const goes = this.all.find((entry) => hasEnded(entry.plan)) ?? this.all[0];
      this.#entries.delete(goes.plan.plan_id);
    }
  }
}
