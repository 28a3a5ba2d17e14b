// The list of conversations beside (on a phone: behind) the messages.
import * as api from './api.js';
import { element } from './dom.js';
import { randomKey } from './sender.js';
import { learn, titleOf } from './titles.js';
import { shortTime } from './words.js';

const REFRESH_MS = 20_000;

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
  #more = document.getElementById('threads-more');
  #archived = document.getElementById('archived');
  #views = [];
  #next = '';
  #timer = 0;
  #hears;

  /** @param hears {onOpen(threadId), onNew(), onRead(): the list is as the server has it} */
  constructor(hears) {
    this.#hears = hears;
    document.getElementById('new-thread').addEventListener('click', () => {
      this.close();
      hears.onNew();
    });
    this.#menu.addEventListener('click', () => this.#open());
    this.#more.addEventListener('click', () => this.#older());
    new IntersectionObserver(([seen]) => seen.isIntersecting && this.#older(), { rootMargin: '400px' }).observe(this.#more);
    this.#archived.addEventListener('click', () => {
      this.#archived.setAttribute('aria-pressed', String(!this.#isArchive));
      this.#views = [];
      this.refresh();
    });
    this.#veil.addEventListener('click', () => this.close());
    this.#drawer.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.isOpen) {
        event.stopPropagation();
        this.close();
        this.#menu.focus();
      }
    });
  }

  get #isArchive() {
    return this.#archived.getAttribute('aria-pressed') === 'true';
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
      const archived = this.#isArchive;
      const { threads, next } = await api.threads({ archived });
      if (archived === this.#isArchive) {
        this.#takeNewest(threads, next ?? '');
        this.#show();
        this.#hears.onRead();
      }
    } catch (error) {
      if (error.status === 401) {
        return; // The whole page ends.
      }
      // The connection indicator tells the rest.
    }
    this.#timer = setTimeout(() => (document.hidden ? this.#wait() : this.refresh()), REFRESH_MS);
  }

  /** Older pages stay as they were read, while the newest page reaches down to them. */
  #takeNewest(views, next) {
    learn(views);
    const ids = new Set(views.map((view) => view.thread_id));
    const oldest = views.at(-1)?.last_at ?? '';
    const older = next ? this.#views.slice(views.length).filter((view) => !ids.has(view.thread_id) && view.last_at <= oldest) : [];
    this.#views = [...views, ...older];
    this.#next = older.length > 0 ? this.#next : next;
  }

  async #older() {
    const after = this.#next;
    if (!after) {
      return;
    }
    this.#next = ''; // one at a time
    try {
      const { threads, next } = await api.threads({ archived: this.#isArchive, after });
      const ids = new Set(this.#views.map((view) => view.thread_id));
      learn(threads);
      this.#views.push(...threads.filter((view) => !ids.has(view.thread_id)));
      this.#next = next ?? '';
    } catch {
      this.#next = after;
    }
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

  #show() {
    const hadFocus = this.#list.contains(document.activeElement) ? document.activeElement.dataset.thread : '';
    const rows = this.#views.map((view) => this.#row(view));
    this.#list.replaceChildren(...rows);
    this.#none.hidden = rows.length > 0;
    this.#none.textContent = this.#isArchive ? 'Nothing is archived.' : 'No conversations yet.';
    this.#more.hidden = !this.#next;
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
