// Whose models answer: chosen in the box, kept for each conversation, sent with each message.
import * as rights from './rights.js';
import * as store from './store.js';

const place = document.getElementById('levels');
const box = document.getElementById('level');
let threadId = '';

box.addEventListener('change', () => store.keepLevel(threadId, box.value));

/** Another conversation, or the levels have become known. */
export function showLevels(id) {
  threadId = id;
  const levels = rights.choice();
  place.hidden = levels.length === 0;
  box.replaceChildren(new Option('default', ''), ...levels.map((level) => new Option(level, level)));
  box.value = levels.includes(store.level(id)) ? store.level(id) : '';
}

/** What goes with a message: {level}, or nothing. */
export const chosen = () => (box.value ? { level: box.value } : {});
