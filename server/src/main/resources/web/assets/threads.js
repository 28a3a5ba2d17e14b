// The list of conversations beside (on a phone: behind) the messages.
import * as api from './api.js';
import { element } from './dom.js';
import { randomKey } from './sender.js';
import * as store from './store.js';
import { shortTime } from './words.js';

const SHOWN_MAX = 100;
const REFRESH_MS = 20_000;
const PEEKED_MAX = 12;

export const newThreadId = () => `web:main:${randomKey().slice(0, 16)}`;

/** Whether messages may be written to it here; another platform's conversation gets its messages from there. */
export const isOurs = (threadId) => threadId.startsWith('web:');

export class Threads {
  #list = document.getElementById('threads');
  #none = document.getElementById('threads-none');
  #drawer = document.getElementById('drawer');
  #chat = document.querySelector('.chat');
  #veil = document.getElementById('veil');
  #menu = document.getElementById('menu');
  #current = '';
  #views = [];
  #peeked = new Set();
  #timer = 0;
  #hears;

  /** @param hears {onOpen(threadId), onNew(), onRefused(error)} */
  constructor(hears) {
    this.#hears = hears;
    document.getElementById('new-thread').addEventListener('click', () => {
      this.close();
      hears.onNew();
    });
    this.#menu.addEventListener('click', () => this.#open());
    this.#veil.addEventListener('click', () => this.close());
    this.#drawer.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.isOpen) {
        event.stopPropagation();
        this.close();
        this.#menu.focus();
      }
    });
  }

  get isOpen() {
    return this.#drawer.classList.contains('open');
  }

  select(threadId) {
    this.#current = threadId;
    this.#show();
  }

  close() {
    this.#drawer.classList.remove('open');
    this.#chat.inert = false;
    this.#veil.hidden = true;
    this.#menu.setAttribute('aria-expanded', 'false');
  }

  /** Asks the server, now and then again while the page is looked at. */
  async refresh() {
    clearTimeout(this.#timer);
    try {
      this.#views = (await api.threads(SHOWN_MAX)).threads;
      this.#show();
      this.#peek();
    } catch (error) {
      if (error.status === 401) {
        this.#hears.onRefused(error);
        return;
      }
      // The connection indicator tells the rest.
    }
    this.#timer = setTimeout(() => (document.hidden ? this.#wait() : this.refresh()), REFRESH_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#views = [];
    this.#show();
  }

  #wait() {
    const again = () => {
      document.removeEventListener('visibilitychange', again);
      this.refresh();
    };
    document.addEventListener('visibilitychange', again);
  }

  #open() {
    this.#drawer.classList.add('open');
    this.#chat.inert = true; // Tab stays in the drawer while it covers the rest.
    this.#veil.hidden = false;
    this.#menu.setAttribute('aria-expanded', 'true');
    this.#drawer.querySelector('button').focus();
  }

  /** Finds names for conversations that this browser has never shown: their last words. */
  async #peek() {
    const nameless = this.#views
      .map((view) => view.thread_id)
      .filter((id) => !store.title(id) && !this.#peeked.has(id))
      .slice(0, PEEKED_MAX);
    for (const id of nameless) {
      this.#peeked.add(id);
      try {
        const { entries } = await api.log(id, 4);
        const words = entries.find((entry) => entry.role === 'user') ?? entries[0];
        if (words) {
          store.keepTitle(id, words.text);
        }
      } catch {
        return;
      }
    }
    if (nameless.length > 0) {
      this.#show();
    }
  }

  #show() {
    const hadFocus = this.#list.contains(document.activeElement) ? document.activeElement.dataset.thread : '';
    const rows = this.#views.map((view) => this.#row(view));
    this.#list.replaceChildren(...rows);
    this.#none.hidden = rows.length > 0;
    if (hadFocus) {
      [...this.#list.querySelectorAll('button')].find((row) => row.dataset.thread === hadFocus)?.focus();
    }
  }

  #row(view) {
    const id = view.thread_id;
    const row = document.createElement('li');
    const button = element('button', '');
    button.type = 'button';
    button.dataset.thread = id;
    button.setAttribute('aria-current', String(id === this.#current));
    const about = element('span', 'about');
    about.append(element('span', '', isOurs(id) ? shortTime(view.last_at) : `${channelOf(id)}, ${shortTime(view.last_at)}`));
    if (view.open > 0) {
      about.append(element('span', 'busy', view.open === 1 ? '1 open' : `${view.open} open`));
    }
    const name = element('span', 'name', titleOf(id));
    name.dir = 'auto';
    button.append(name, about);
    button.addEventListener('click', () => {
      this.close();
      this.#hears.onOpen(id);
    });
    row.append(button);
    return row;
  }
}

const channelOf = (id) => id.split(':', 2).join(' ');

/** What a conversation is called: its first words here, else its own id on its platform. */
export function titleOf(id) {
  return store.title(id) || id.split(':').slice(2).join(':') || id;
}
