// What the browser keeps: drafts, messages not yet accepted, the theme. All of it may be lost without harm
// to anything the server promised, so a full or forbidden storage is not an error.

const PREFIX = 'holdfast.';

/** What stands before the keys of the texts of whoever is logged in; empty while that is unknown: then none are kept. */
let mine = '';

/** Whether this tab showed conversations of nobody else before. From here on it is this person's. */
export function ownsTab(name) {
  try {
    const before = sessionStorage.getItem(`${PREFIX}person`) || name;
    sessionStorage.setItem(`${PREFIX}person`, name);
    return before === name;
  } catch {
    return true;
  }
}

/** From here on the texts of this person are read and kept. */
export const openFor = (person) => (mine = person && `of/${person}/`);

/** Who was logged in last in this browser, whichever tab it was; empty after a logout. */
export const person = () => read('person', '');
export const keepPerson = (name) => (name ? write('person', name) : remove('person'));

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

function readMine(key, otherwise) {
  return mine ? read(mine + key, otherwise) : otherwise;
}

function keepMine(key, value) {
  if (!mine) {
    return false;
  }
  return value ? write(mine + key, value) : remove(mine + key);
}

export const draft = (threadId) => readMine(`draft.${threadId}`, '');
export const keepDraft = (threadId, text) => keepMine(`draft.${threadId}`, text);

export const level = (threadId) => readMine(`level.${threadId}`, '');
export const keepLevel = (threadId, value) => keepMine(`level.${threadId}`, value);

/** Messages on their way, of all tabs, oldest first: [{threadId, key, text, at, failed?}]. */
export function unsent() {
  return keysOf(`${mine}unsent.`)
    .map((key) => read(key, null))
    .filter((message) => mine && message)
    .sort((one, other) => one.at - other.at);
}

/** Each has an entry of its own, so that tabs do not overwrite what others wrote. False when it could not be kept. */
export const keepUnsent = (message) => keepMine(`unsent.${message.key}`, message);
export const dropUnsent = (key) => keepMine(`unsent.${key}`, null);

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

/** Forgets the texts of whoever logs out. The theme and the settings are no secret. */
export function forget() {
  if (mine) {
    keysOf(mine).forEach(remove);
  }
  keepPerson('');
}

function keysOf(prefix) {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(PREFIX + prefix))
      .map((key) => key.slice(PREFIX.length));
  } catch {
    return [];
  }
}

function remove(key) {
  try {
    localStorage.removeItem(PREFIX + key);
    return true;
  } catch {
    return false; // It was never there.
  }
}
