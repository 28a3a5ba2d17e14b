// Files that are to go with the next message: brought to the server at once, so that sending is quick, and named by
// the message then. What is in the tray belongs to one conversation.
import * as api from './api.js';
import { sentence } from './words.js';

const FILES_MAX = 10;

export class Tray {
  #list = document.getElementById('tray');
  #threadId = '';
  #files = [];
  #hears;

  /** @param hears {onChange(), onTrouble(text)} */
  constructor(hears) {
    this.#hears = hears;
  }

  /** Whether all that is in it has reached the server. */
  get ready() {
    return this.#files.every((file) => file.state === 'kept');
  }

  get empty() {
    return this.#files.length === 0;
  }

  /** Another conversation: begins empty. */
  open(threadId) {
    if (this.#threadId !== threadId) {
      this.#threadId = threadId;
      this.take();
    }
  }

  /** Brings files of the browser to the server. */
  add(files) {
    for (const file of files) {
      if (this.#files.length >= FILES_MAX) {
        this.#hears.onTrouble(`A message can have at most ${FILES_MAX} files.`);
        break;
      }
      this.#bring({ name: file.name || 'file', bytes: file.size, state: 'coming', threadId: this.#threadId }, file);
    }
  }

  /** Takes everything out: [{file, name, media_type, bytes}]. */
  take() {
    const taken = this.#files.filter((file) => file.state === 'kept').map(({ kept }) => kept);
    this.#files = [];
    this.#show();
    return taken;
  }

  async #bring(entry, file) {
    this.#files.push(entry);
    this.#show();
    try {
      entry.kept = await api.upload(entry.threadId, file);
      entry.state = 'kept';
    } catch (error) {
      this.#files = this.#files.filter((other) => other !== entry);
      this.#hears.onTrouble(`“${entry.name}” was not attached. ${error.status === 413 ? 'It is too large.' : sentence(error)}`);
    }
    this.#show();
  }

  /** Rows stay what they are, so that none loses the focus when another file has come. */
  #show() {
    this.#list.hidden = this.empty;
    const rows = this.#files.map((file) => this.#row(file));
    [...this.#list.children].filter((row) => !rows.includes(row)).forEach((row) => row.remove());
    this.#list.append(...rows.filter((row) => !row.isConnected));
    this.#hears.onChange();
  }

  #row(file) {
    file.row ??= this.#newRow(file);
    file.row.firstChild.textContent = file.state === 'kept' ? file.name : `${file.name} …`;
    return file.row;
  }

  #newRow(file) {
    const row = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = '×';
    button.setAttribute('aria-label', `Remove ${file.name}`);
    button.addEventListener('click', () => {
      this.#files = this.#files.filter((other) => other !== file);
      this.#show();
    });
    row.append(document.createElement('span'), button);
    return row;
  }
}
