// Brings messages to the server: one at a time, in order, until it says that it has them. Each carries a key of its
// own, so that a try whose answer was lost is not doubled by the next one. What is on its way survives a reload.
import * as api from './api.js';
import { heldBack } from './replaced.js';
import * as store from './store.js';

const WAIT_FIRST_MS = 1000;
const WAIT_MAX_MS = 30_000;
const OTHERS_WAIT_MS = 10_000;

export class Sender {
  #messages = [];

  /** Keys of those that the browser keeps, so that they are gone when another tab has dropped them. */
  #kept = new Set();
  #hears;
  #busy = false;
  #wakeUp = () => {};

  /** @param hears {onSending(message), onAccepted(message, eventId), onWaiting(message, error, untilMillis), onFailed(message, error), onOthers(come, gone)} */
  constructor(hears) {
    this.#hears = hears;
  }

  /** Messages on their way, oldest first. */
  get messages() {
    return this.#messages;
  }

  /** Goes on with what the one who has logged in left behind. */
  open() {
    this.#messages = store.unsent();
    this.#kept = new Set(this.#messages.map(({ key }) => key));
    this.start();
  }

  /**
   * Another tab has written or removed something. What it sends is sent from here too, later, in case that it was closed:
   * the server takes each key once.
   */
  merge() {
    const stored = store.unsent();
    const keys = new Set(stored.map(({ key }) => key));
    const gone = this.#messages.filter(({ key }) => this.#kept.has(key) && !keys.has(key));
    const come = stored.filter(({ key }) => !this.#messages.some((message) => message.key === key));
    if (gone.length + come.length > 0) {
      this.#messages = [...this.#messages.filter((message) => !gone.includes(message)), ...come];
      come.forEach(({ key }) => this.#kept.add(key));
      this.#hears.onOthers(come, gone);
    }
    if (come.length > 0) {
      setTimeout(() => this.start(), OTHERS_WAIT_MS);
    }
  }

  /** `options`: {supersedes, force}. Returns the message: {threadId, key, text, files, options, at}. */
  add(threadId, text, files, options = {}) {
    const at = Math.max(Date.now(), (this.#messages.at(-1)?.at ?? 0) + 1); // their order, too
    const message = { threadId, key: randomKey(), text, files, options, at };
    this.#messages.push(message);
    this.#keep(message);
    this.start();
    return message;
  }

  /** Tries a failed message again; `forced`: although what it replaces had effects. */
  retry(key, forced = false) {
    const message = this.#messages.find((candidate) => candidate.key === key);
    if (message) {
      delete message.failed;
      delete message.hadEffects;
      if (forced) {
        message.options = { ...message.options, force: true };
      }
      this.#keep(message);
      this.#hears.onSending(message);
      this.start();
    }
  }

  /** Gives a message up. Returns it, so that its text can be put back into the box. */
  discard(key) {
    const message = this.#messages.find((candidate) => candidate.key === key);
    this.#remove(key);
    return message;
  }

  /** Goes on now instead of after the wait: something says that the server may be back. */
  async start() {
    this.#wakeUp();
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    try {
      let failures = 0;
      for (let message = this.#next(); message; message = this.#next()) {
        const outcome = await this.#try(message, failures);
        if (outcome === 'stop') {
          return;
        }
        failures = outcome === 'again' ? failures + 1 : 0;
      }
    } finally {
      this.#busy = false;
    }
  }

  #next() {
    return this.#messages.find((message) => !message.failed);
  }

  async #try(message, failures) {
    try {
      const answer = await api.send(message.threadId, message.text, message.key, message.files, message.options);
      this.#remove(message.key);
      this.#hears.onAccepted(message, answer.event_id);
      return 'done';
    } catch (error) {
      if (error.status === 401) {
        return 'stop'; // The page ends with its login; the message waits for the next login of the same person.
      }
      if (error.passing) {
        await this.#rest(message, error, failures);
        return 'again';
      }
      message.failed = heldBack(error) || error.message || error.code || String(error.status);
      message.hadEffects = Boolean(error.details?.effects);
      this.#keep(message);
      this.#hears.onFailed(message, error);
      return 'done';
    }
  }

  async #rest(message, error, failures) {
    const most = Math.min(WAIT_FIRST_MS * 2 ** failures, WAIT_MAX_MS);
    const millis = Math.max(error.retryAfterMs ?? 0, most / 2 + Math.random() * (most / 2));
    this.#hears.onWaiting(message, error, Date.now() + millis);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wakeUp = () => {};
    this.#hears.onSending(message);
  }

  #remove(key) {
    this.#messages = this.#messages.filter((message) => message.key !== key);
    this.#kept.delete(key);
    store.dropUnsent(key);
  }

  #keep(message) {
    if (this.#messages.includes(message) && store.keepUnsent(message)) {
      this.#kept.add(message.key);
    }
  }
}

/** 26 characters of chance. `crypto.randomUUID` would be missing on a page that is not served from localhost or by TLS. */
export function randomKey() {
  const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
  return Array.from(crypto.getRandomValues(new Uint8Array(26)), (byte) => alphabet[byte % 32]).join('');
}
