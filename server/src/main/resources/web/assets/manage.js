// What is done with the open conversation as a whole: renamed, archived, exported, deleted.
import * as api from './api.js';
import { totalOf } from './cost.js';
import * as rights from './rights.js';
import * as titles from './titles.js';
import { sentence } from './words.js';

const byId = (id) => document.getElementById(id);
const menu = byId('about-menu');
let threadId = '';
let archived = false;
let hears = {};

/** @param ears {onChange(), onDeleted(threadId), onTrouble(text)} */
export function listen(ears) {
  hears = ears;
  menu.addEventListener('beforetoggle', (event) => event.newState === 'open' && prepare());
  byId('rename').addEventListener('click', () => {
    byId('rename-text').value = titles.titleOf(threadId);
    open('rename');
    byId('rename-text').select();
  });
  byId('delete').addEventListener('click', () => open('delete'));
  byId('archive').addEventListener('click', () => act(() => api.archive(threadId, !archived)));
  byId('export-markdown').addEventListener('click', () => save('markdown'));
  byId('export-json').addEventListener('click', () => save('json'));
  for (const what of ['rename', 'delete']) {
    byId(`${what}-cancel`).addEventListener('click', () => byId(`${what}-dialog`).close());
  }
  answer('rename', () => api.rename(threadId, byId('rename-text').value), () => hears.onChange());
  answer('delete', () => remove(), () => hears.onDeleted(threadId));
}

export function select(id) {
  threadId = id;
  menu.hidePopover();
}

async function prepare() {
  for (const button of menu.querySelectorAll('[data-needs]')) {
    button.hidden = !rights.may(button.dataset.needs);
  }
  archived = false;
  byId('delete').hidden = true; // until it is known whose it is
  byId('about-usage').textContent = '';
  try {
    const thread = await api.thread(threadId);
    archived = thread.archived;
    byId('delete').hidden = !rights.may('admin') && !(rights.may('chat') && rights.isMe(thread.owner));
    byId('about-usage').textContent = totalOf(thread.usage);
  } catch {
    // It may not have begun; then there is nothing to bring back.
  }
  byId('archive').textContent = archived ? 'Bring back from the archive' : 'Archive';
}

function open(what) {
  menu.hidePopover();
  byId(`${what}-error`).hidden = true;
  byId(`${what}-dialog`).showModal();
}

function answer(what, run, done) {
  byId(`${what}-form`).addEventListener('submit', async (event) => {
    event.preventDefault();
    const error = byId(`${what}-error`);
    const button = event.submitter;
    button.disabled = true;
    try {
      await run();
      byId(`${what}-dialog`).close();
      done();
    } catch (failure) {
      error.textContent = sentence(failure);
      error.hidden = false;
    }
    button.disabled = false;
  });
}

/** What runs is stopped first: nobody waits for it any more. */
async function remove() {
  await api.stop(threadId, true);
  await api.deleteThread(threadId);
  titles.forget(threadId);
}

async function act(run) {
  menu.hidePopover();
  try {
    await run();
    hears.onChange();
  } catch (error) {
    hears.onTrouble(sentence(error));
  }
}

/** The server says how the file is called. */
function save(format) {
  menu.hidePopover();
  const link = document.createElement('a');
  link.href = api.exportUrl(threadId, format);
  link.download = '';
  link.click();
}
