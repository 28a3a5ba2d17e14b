// The search over all conversations, in a dialog: `/` or Ctrl+K opens it, arrows go through what was found.
import * as api from './api.js';
import { element } from './dom.js';
import { titleOf } from './titles.js';
import { dateOf, fullTime, sentence, shortTime } from './words.js';

const TYPING_MS = 120;

const byId = (id) => document.getElementById(id);
const dialog = byId('search');
const words = byId('words');
const list = byId('hits');
const state = byId('search-state');

let hears = {};
let timer = 0;
let searches = 0;
let next = '';

/** @param ears {onHit(threadId, entry, eventId)} */
export function listen(ears) {
  hears = ears;
  byId('open-search').addEventListener('click', open);
  byId('search-close').addEventListener('click', () => dialog.close());
  byId('hits-more').addEventListener('click', () => look(next));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('keydown', onArrow);
  words.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => look(''), TYPING_MS);
  });
  document.addEventListener('keydown', (event) => {
    const isShortcut = (event.key === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && !isTyping(event.target));
    if (isShortcut && document.body.dataset.view === 'chat' && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      open();
    }
  });
}

const isTyping = (node) => node.closest('input, textarea, select, [contenteditable]');

function open() {
  dialog.showModal();
  words.select();
  if (words.value) {
    look('');
  }
}

async function look(before) {
  const number = ++searches;
  const query = words.value;
  if (!/[\p{L}\p{N}]/u.test(query)) {
    list.replaceChildren();
    state.textContent = '';
    byId('hits-more').hidden = true;
    return;
  }
  try {
    const found = await api.search(query, before);
    if (number !== searches) {
      return; // More was typed since.
    }
    next = found.next ?? '';
    list.append(...(before ? [] : (list.replaceChildren(), [])), ...found.hits.map(rowOf));
    byId('hits-more').hidden = !next;
    state.textContent = stateOf(found);
  } catch (error) {
    if (number === searches) {
      state.textContent = sentence(error);
    }
  }
}

function stateOf({ next: more, unread }) {
  const many = list.children.length;
  const found = many === 0 ? 'Nothing found.' : `${many}${more ? ' or more' : ''} found.`;
  return unread > 0 ? `${found} Some messages are still being indexed.` : found;
}

function rowOf(hit) {
  const row = element('li');
  const button = element('button', '');
  button.type = 'button';
  const about = element('span', 'about');
  const name = element('span', 'name', hit.title || titleOf(hit.thread_id));
  name.dir = 'auto';
  const time = element('time', '', shortTime(hit.at));
  time.dateTime = dateOf(hit.at).toISOString();
  time.title = fullTime(hit.at);
  about.append(name, element('span', '', hit.role === 'user' ? 'message' : 'answer'), time);
  button.append(about, excerptOf(hit));
  button.addEventListener('click', () => {
    dialog.close();
    hears.onHit(hit.thread_id, hit.id, hit.event_id);
  });
  row.append(button);
  return row;
}

function excerptOf({ excerpt, marks }) {
  const node = element('span', 'excerpt');
  node.dir = 'auto';
  let at = 0;
  for (let i = 0; i + 1 < marks.length; i += 2) {
    node.append(excerpt.slice(at, marks[i]), element('mark', '', excerpt.slice(marks[i], marks[i + 1])));
    at = marks[i + 1];
  }
  node.append(excerpt.slice(at));
  return node;
}

function onArrow(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) {
    return;
  }
  const all = [words, ...list.querySelectorAll('button')];
  const to = all[all.indexOf(document.activeElement) + step];
  if (to) {
    event.preventDefault();
    to.focus();
  }
}
