// What the page says, in one place: sentences for errors and states, times in the reader's own language.

/** A clear sentence for a request that failed. */
export function sentence(error) {
  if (error.status === 0) {
    return error.code === 'TIMEOUT' ? 'The server is taking too long to answer.' : 'The server cannot be reached.';
  }
  const known = {
    401: 'You are logged out. Log in again to continue.',
    403: 'Your token does not allow this.',
    404: 'This was not found on the server.',
    409: 'This conflicts with the current state.',
    413: 'This is too large for the server.',
    429: 'Too many requests.',
    503: 'The server is not accepting messages right now.',
  };
  const first = known[error.status] ?? (error.status >= 500 ? 'The server failed to do this.' : 'The server refused this.');
  return error.message && error.status !== 401 ? `${first} Reason: “${error.message.replace(/\.$/, '')}”.` : first;
}

const STATES = {
  sending: ['○', 'sending'],
  retrying: ['○', 'not sent yet'],
  failed: ['✕', 'not sent'],
  kept: ['◐', 'kept'],
  working: ['◐', 'kept, being answered'],
  asking: ['◐', 'waiting for approval'],
  parked: ['◐', 'kept, waiting for the model'],
  answered: ['●', 'answered'],
  silent: ['●', 'read, no answer needed'],
  held: ['◒', 'reply held for the operator'],
  dead_lettered: ['✕', 'given up, kept for the operator'],
  cancelled: ['◌', 'stopped'],
};

/** {mark, text} of a message's state; empty texts when nothing is known. */
export function ofState(state) {
  const [mark, text] = STATES[state] ?? ['', ''];
  return { mark, text };
}

const PLANS = {
  draft: 'being planned',
  pending: 'about to start',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};

const STEPS = {
  queued: ['○', 'queued'],
  dispatched: ['◐', 'starting'],
  in_progress: ['◐', 'running'],
  retried: ['◔', 'to be tried again'],
  awaiting_input: ['◆', 'waiting for a person'],
  succeeded: ['●', 'done'],
  dead_lettered: ['✕', 'given up'],
  failed: ['✕', 'not run'],
  cancelled: ['◌', 'cancelled'],
};

/** A plan's state in words. */
export const ofPlan = (state) => PLANS[state] ?? readable(state);

/** {mark, text} of a step's state. What nobody works on is not called running. */
export function ofStep(step) {
  const [mark, text] = STEPS[step.state] ?? ['○', readable(step.state)];
  return { mark, text: step.state === 'in_progress' && !step.running ? 'interrupted, will be recovered' : text };
}

/** A word of the API as people read it. */
export const readable = (word) => String(word ?? '').toLowerCase().replace(/[._]/g, ' ');

/** The words of the line below the messages, without the elapsed time. */
export function ofTurn(turn) {
  if (turn.phase === 'parked') {
    return 'The model is unavailable. Your message is kept and will be answered when it is back. Waiting for';
  }
  if (turn.phase === 'asking') {
    return 'A tool call is waiting for approval:';
  }
  const phase = turn.phase === 'writing' ? 'writing…' : `${turn.label || 'thinking'}…`;
  return turn.attempt > 1 ? `${phase} (attempt ${turn.attempt})` : phase;
}

export function elapsed(millis) {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours < 48) {
    return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`;
  }
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function sizeOf(bytes) {
  if (bytes < 1024) {
    return `${bytes} bytes`;
  }
  const kilobytes = Math.round(bytes / 1024);
  return kilobytes < 1024 ? `${kilobytes} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

let clock;
let day;
let full;
let exact;

/** From now on times are written in this language; an empty one is the browser's own. */
export function useDateLanguage(language) {
  const locale = language || undefined;
  clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  exact = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 });
}
useDateLanguage('');

/** A server's time (ISO text or milliseconds) as a Date; now when there is none. */
export function dateOf(at) {
  const date = new Date(at ?? Date.now());
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

/** The time today, else the day with it. */
export function shortTime(at) {
  const date = dateOf(at);
  const today = date.toDateString() === new Date().toDateString();
  return today ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`;
}

export const fullTime = (at) => full.format(dateOf(at));
export const exactTime = (at) => exact.format(dateOf(at));
