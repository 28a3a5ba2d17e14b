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
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const exact = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});

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
