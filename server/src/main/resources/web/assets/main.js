// Puts the parts together: login, then one open conversation with its stream, its sender and its view.
import { threadOfAddress } from './address.js';
import * as api from './api.js';
import * as conditions from './conditions.js';
import { Conversation } from './conversation.js';
import * as dictation from './dictation.js';
import * as manage from './manage.js';
import * as notifications from './notifications.js';
import * as plans from './plans.js';
import { takeEdited } from './replacing.js';
import * as rights from './rights.js';
import * as search from './search.js';
import { Sender } from './sender.js';
import * as settings from './settings.js';
import * as store from './store.js';
import { newThreadId, Threads } from './threads.js';
import * as titles from './titles.js';
import { Tray } from './tray.js';
import { sentence } from './words.js';

const byId = (id) => document.getElementById(id);
const composer = byId('composer');
const say = byId('say');
const coarsePointer = matchMedia('(pointer: coarse)');

let conversation = null;

/** Whose page this is: for as long as the document lives, or empty before a login. */
let reader = '';
let begun = false;
let sendsWhenReady = false;

/** What is to be shown of the conversation that opens next. */
let wanted = null;

const sender = new Sender({
  onSending: (message) => conversation?.sending(message),
  onAccepted: (message, eventId) => {
    conversation?.accepted(message, eventId);
    threads.refresh();
  },
  onWaiting: (message, error, until) => conversation?.waiting(message, error, until),
  onFailed: (message, error) => conversation?.failed(message, error),
  onOthers: (come, gone) => conversation?.others(come, gone),
});

const threads = new Threads({
  onOpen: (threadId) => goTo(threadId),
  onNew: () => goTo(newThreadId()),
  onRead: () => conversation?.checkShared(),
});

const tray = new Tray({
  onChange: () => {
    sizeComposer();
    if (sendsWhenReady && tray.ready) {
      sendComposer();
    }
  },
  onTrouble: (text) => {
    sendsWhenReady &&= !text; // a message must not go without the file that it speaks of
    conversation?.trouble(text);
  },
});

const hears = {
  onOnline: () => {
    sender.start();
    conditions.refresh();
    plans.hurry();
    rights.known().then(() => (rights.person() === reader ? conversation?.showRights() : leave()), () => {});
  },
  onCondition: () => conditions.refresh(),
  onPlans: () => plans.hurry(),
  onChange: () => threads.refresh(),
  onDeleted: (threadId) => afterDeletion(threadId),
  onUnshared: (threadId) => {
    titles.forget(threadId);
    history.replaceState(null, '', `#${encodeURIComponent(newThreadId())}`);
    openFromAddress();
    conversation.begin('The conversation that was open here is no longer shared with you.');
    threads.refresh();
  },
  onDraft: (text) => fillComposer(text),
  onEvent: notifications.onEvent,
};

async function begin() {
  const refused = await useCode();
  try {
    await rights.learn();
    openApp(rights.person());
  } catch (error) {
    if (error.status === 401) {
      store.keepPerson('');
      askForLogin(refused);
    } else {
      openApp(store.person()); // The page is useful without the server: it says so, keeps drafts and tries again.
    }
  }
  begun = true;
}

/** Exchanges the one-time code of the address for a session. It leaves the address at once: addresses get shared. */
async function useCode() {
  const url = new URL(location.href);
  const code = url.searchParams.get('login');
  if (code === null) {
    return '';
  }
  url.searchParams.delete('login');
  history.replaceState(null, '', url);
  try {
    await api.login({ code });
    return '';
  } catch (error) {
    return error.status === 401 ? 'This login address has already been used or has expired. Paste the token instead.' : sentence(error);
  }
}

function askForLogin(why) {
  document.body.dataset.view = 'login';
  byId('login-error').hidden = !why;
  byId('login-error').textContent = why;
  byId('token').value = '';
  byId('token').focus();
}

/**
 * The login has ended, by whatever way, or is another's by now. A new document has nothing of it, neither in view nor in
 * memory; unsent messages and drafts wait in the browser for the next login of the same person.
 */
function leave() {
  conversation?.close();
  conversation = null;
  document.body.dataset.view = 'loading';
  document.title = 'Holdfast';
  location.reload();
}

/** Another tab, or this one before it was put aside, may have seen another login. */
function checkReader() {
  if (begun && store.person() !== reader) {
    leave();
  }
}

function openApp(person) {
  reader = person;
  api.readFor(person);
  store.openFor(person);
  store.keepPerson(person);
  if (!store.ownsTab(person)) {
    history.replaceState(null, '', location.pathname); // The conversation of the address is of whoever was here before.
  }
  byId('app').inert = false;
  document.body.dataset.view = 'chat';
  threads.refresh();
  sender.open();
  openFromAddress();
}

/** What was being written in place of an earlier message stays as a draft when another conversation is opened. */
function keepEdited() {
  const item = takeEdited();
  if (item && conversation && say.value.trim() && say.value !== item.text) {
    const draft = store.draft(conversation.threadId);
    store.keepDraft(conversation.threadId, draft ? `${draft}\n\n${say.value}` : say.value);
  }
}

function openFromAddress() {
  const threadId = threadOfAddress();
  if (threadId.split(':').length < 3) {
    history.replaceState(null, '', `#${encodeURIComponent(newThreadId())}`);
    openFromAddress();
    return;
  }
  keepEdited();
  conversation?.close();
  conversation = new Conversation(threadId, sender, hears);
  threads.select(threadId);
  manage.select(threadId);
  if (wanted?.threadId === threadId) {
    conversation.find(wanted.entry, wanted.eventId);
  }
  wanted = null;
  sendsWhenReady = false;
  tray.open(threadId);
  fillComposer(store.draft(threadId));
  if (!coarsePointer.matches) {
    say.focus();
  }
}

/** Goes to something that was said, wherever it was. */
function goToEntry(threadId, entry, eventId) {
  if (conversation?.threadId === threadId) {
    conversation.find(entry, eventId);
  } else {
    wanted = { threadId, entry, eventId };
    goTo(threadId);
  }
}

function afterDeletion(threadId) {
  titles.forget(threadId);
  store.keepDraft(threadId, '');
  if (conversation?.threadId === threadId) {
    goTo(newThreadId());
  }
  threads.refresh();
}

const goTo = (threadId) => (location.hash = encodeURIComponent(threadId));

function fillComposer(text) {
  say.value = text;
  sizeComposer();
}

/** Grows with its text, in browsers that cannot do so by style alone. */
function sizeComposer() {
  byId('send').disabled = (say.value.trim() === '' && tray.empty) || !tray.ready;
  if (!CSS.supports('field-sizing', 'content')) {
    say.rows = Math.min(8, say.value.split('\n').length);
  }
}

function sendComposer() {
  const text = say.value.trim();
  sendsWhenReady = !tray.ready;
  if ((!text && tray.empty) || sendsWhenReady || !conversation?.writable) {
    return;
  }
  const files = tray.take();
  dictation.stop();
  fillComposer('');
  store.keepDraft(conversation.threadId, '');
  conversation.say(text, files);
}

byId('logout').addEventListener('click', async () => {
  try {
    await api.logout();
  } catch (error) {
    conversation?.trouble(`You are still logged in: ${sentence(error)}`);
    return;
  }
  store.forget();
  history.replaceState(null, '', location.pathname);
  leave();
});

byId('login-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  if (!token) {
    return;
  }
  try {
    await api.login({ token });
    await rights.learn();
    openApp(rights.person());
  } catch (error) {
    askForLogin(error.status === 401 ? 'This token is not valid here.' : sentence(error));
  }
});

composer.addEventListener('submit', (event) => {
  event.preventDefault();
  sendComposer();
  say.focus();
});

byId('attach').addEventListener('click', () => byId('files').click());

byId('files').addEventListener('change', () => {
  tray.add(byId('files').files);
  byId('files').value = ''; // the same file may be chosen again
  say.focus();
});

say.addEventListener('paste', (event) => {
  if (event.clipboardData.files.length > 0) {
    event.preventDefault();
    tray.add(event.clipboardData.files);
  }
});

// Anywhere on the page: a file that misses the box would otherwise take the place of the page.
document.addEventListener('dragover', (event) => {
  if (event.dataTransfer.types.includes('Files')) {
    event.preventDefault();
    composer.classList.toggle('dropping', Boolean(conversation?.writable));
  }
});
document.addEventListener('dragleave', () => composer.classList.remove('dropping'));
document.addEventListener('drop', (event) => {
  composer.classList.remove('dropping');
  if (event.dataTransfer.files.length > 0) {
    event.preventDefault();
    if (conversation?.writable) {
      tray.add(event.dataTransfer.files);
    }
  }
});

say.addEventListener('input', () => {
  sendsWhenReady = false; // there is more to say
  sizeComposer();
  if (conversation && byId('editing').hidden) {
    store.keepDraft(conversation.threadId, say.value);
  }
});

say.addEventListener('keydown', (event) => {
  if (settings.sends(event)) {
    event.preventDefault();
    sendComposer();
  }
});

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !byId('editing').hidden && !document.querySelector('dialog[open]')) {
    byId('editing-cancel').click();
  } else if (event.key === 'Escape' && !document.querySelector('dialog[open]') && !threads.isOpen && !event.isComposing) {
    conversation?.stop();
  }
});

byId('editing-cancel').addEventListener('click', () => {
  takeEdited();
  fillComposer(store.draft(conversation.threadId));
  say.focus();
});
byId('stop').addEventListener('click', () => conversation?.stop());
byId('waiting').addEventListener('click', () => conversation?.answer());
byId('earlier').addEventListener('click', () => conversation?.earlier());
addEventListener('hashchange', () => document.body.dataset.view === 'chat' && openFromAddress());
addEventListener('online', () => conversation?.hurry());
document.addEventListener('visibilitychange', () => !document.hidden && conversation?.hurry());

addEventListener('storage', () => {
  checkReader();
  sender.merge();
});
addEventListener('pageshow', (event) => event.persisted && checkReader());
api.whenLoginEnds(leave);

plans.listen({ onOpen: (threadId) => goTo(threadId) });
search.listen({ onHit: goToEntry });
settings.listen({ onDates: () => threads.refresh() });
notifications.listen();
dictation.listen({ onTrouble: (text) => conversation?.trouble(text) });
manage.listen({
  onChange: () => threads.refresh(),
  onDeleted: afterDeletion,
  onTrouble: (text) => conversation?.trouble(text),
});
begin();
