// The stream of events of one chat thread. Read with fetch and not with EventSource, because that hides why a
// connection was refused, cannot be told where to start, and does not notice a connection that went silent.
import { forReader, refusal } from './api.js';

const SILENCE_MAX_MS = 40_000; // the server says something every 15 s
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 15_000;

export class Stream {
  #threadId;
  #lastId;
  #hears;
  #abort = new AbortController();
  #wakeUp = () => {};
  #closed = false;

  /**
   * @param threadId whose events
   * @param lastId the id after which to begin; empty for now
   * @param hears {onEvent(kind, data), onGap(), onState(state, untilMillis), onRefused(error)}. After onGap and
   *     onRefused the stream is closed.
   */
  constructor(threadId, lastId, hears) {
    this.#threadId = threadId;
    this.#lastId = lastId;
    this.#hears = hears;
    this.#run();
  }

  close() {
    this.#closed = true;
    this.#abort.abort();
    this.#wakeUp();
  }

  /** Ends a wait between two tries: something says that the server may be back. */
  hurry() {
    this.#wakeUp();
  }

  async #run() {
    let failures = 0;
    let opened = false;
    while (!this.#closed) {
      if (opened && !this.#lastId) {
        this.close(); // Nothing was heard yet, so there is no place to go on from.
        this.#hears.onGap();
        return;
      }
      this.#hears.onState('connecting', 0);
      try {
        await this.#connect(() => {
          failures = 0;
          opened = true;
        });
      } catch (failure) {
        if (this.#closed) {
          return;
        }
        if (failure.status === 401 || failure.status === 403) {
          this.close();
          this.#hears.onRefused(failure);
          return;
        }
      }
      if (!this.#closed) {
        await this.#rest(failures++);
      }
    }
  }

  async #connect(onOpen) {
    this.#abort = new AbortController();
    const headers = { Accept: 'text/event-stream', ...forReader() };
    if (this.#lastId) {
      headers['Last-Event-ID'] = this.#lastId;
    }
    const path = `/api/v1/stream?thread=${encodeURIComponent(this.#threadId)}`;
    let watchdog = this.#watch();
    try {
      const response = await fetch(path, {
        headers,
        signal: this.#abort.signal,
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
      });
      if (!response.ok) {
        throw await refusal(response);
      }
      this.#hears.onState('open', 0);
      onOpen();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const parser = new Parser((event) => this.#take(event));
      for (;;) {
        const { done, value } = await reader.read();
        if (done || this.#closed) {
          return;
        }
        clearTimeout(watchdog);
        watchdog = this.#watch();
        parser.feed(value);
      }
    } finally {
      clearTimeout(watchdog);
      this.#abort.abort();
    }
  }

  #watch() {
    const abort = this.#abort;
    return setTimeout(() => abort.abort(), SILENCE_MAX_MS);
  }

  #take(event) {
    if (this.#closed) {
      return;
    }
    if (event.kind === 'gap') {
      this.close();
      this.#hears.onGap();
      return;
    }
    if (event.id) {
      this.#lastId = event.id;
    }
    let data;
    try {
      data = JSON.parse(event.data);
    } catch {
      return; // Not ours; a newer server may say things that this page does not know.
    }
    this.#hears.onEvent(event.kind, data);
  }

  async #rest(failures) {
    const most = Math.min(WAIT_FIRST_MS * 2 ** failures, WAIT_MAX_MS);
    const millis = most / 2 + Math.random() * (most / 2);
    this.#hears.onState('waiting', Date.now() + millis);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Cuts a text/event-stream into events. Lines end with LF or CRLF; comments are skipped. */
export class Parser {
  #rest = '';
  #event = blank();
  #onEvent;

  constructor(onEvent) {
    this.#onEvent = onEvent;
  }

  feed(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
  }

  #line(line) {
    if (line === '') {
      const event = this.#event;
      this.#event = blank();
      if (event.lines.length > 0 || event.kind === 'gap') {
        this.#onEvent({ id: event.id, kind: event.kind, data: event.lines.join('\n') });
      }
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') {
      this.#event.kind = value;
    } else if (field === 'id') {
      this.#event.id = value;
    } else if (field === 'data') {
      this.#event.lines.push(value);
    }
  }
}

const blank = () => ({ id: '', kind: 'message', lines: [] });
