// What the browser keeps: drafts, messages not yet accepted, the theme. All of it may be lost without harm
// to anything the server promised, so a full or forbidden storage is not an error.

const PREFIX = 'holdfast.';

function read(key, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

function write(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export const draft = (threadId) => read(`draft.${threadId}`, '');

export function keepDraft(threadId, text) {
  if (text) {
    write(`draft.${threadId}`, text);
  } else {
    remove(`draft.${threadId}`);
  }
}

export const level = (threadId) => read(`level.${threadId}`, '');

export function keepLevel(threadId, value) {
  if (value) {
    write(`level.${threadId}`, value);
  } else {
    remove(`level.${threadId}`);
  }
}

/** Messages on their way, oldest first: [{threadId, key, text, at, failed?}]. */
export function unsent() {
  const messages = read('unsent', []);
  return Array.isArray(messages) ? messages : [];
}

export const keepUnsent = (messages) => write('unsent', messages);

/** 'light', 'dark' or 'system'. Stored bare, because theme.js reads it before anything else runs. */
export function theme() {
  try {
    return localStorage.getItem(`${PREFIX}theme`) ?? 'system';
  } catch {
    return 'system';
  }
}

export function keepTheme(value) {
  try {
    if (value === 'system') {
      localStorage.removeItem(`${PREFIX}theme`);
    } else {
      localStorage.setItem(`${PREFIX}theme`, value);
    }
  } catch {
    // It holds until the page is closed.
  }
}

/** What the reader prefers: {name: value}. */
export const settings = () => read('settings', {});
export const keepSettings = (values) => write('settings', values);

/** Forgets all texts, when someone logs out. The theme and the settings are no secret. */
export function forget() {
  try {
    Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX) && key !== `${PREFIX}theme` && key !== `${PREFIX}settings`)
      .forEach((key) => localStorage.removeItem(key));
  } catch {
    // Nothing was kept then.
  }
}

function remove(key) {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // It was never there.
  }
}
