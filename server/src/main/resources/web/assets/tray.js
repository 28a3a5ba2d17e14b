// Files that are to go with the next message: brought to the server at once, so that sending is quick, and named by
// the message then. What is in the tray belongs to one conversation.
import * as api from './api.js';
import { element } from './dom.js';
import { thumbnailOf } from './thumbnails.js';
import { sentence, sizeOf } from './words.js';

const FILES_MAX = 10;

export class Tray {
  #list = document.getElementById('tray');
  #threadId = '';
  #files = [];
  #hears;

  /** @param hears {onChange(), onTrouble(text)}: an empty text ends the last trouble */
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
    this.#hears.onTrouble('');
    for (const file of files) {
      if (this.#files.length >= FILES_MAX) {
        this.#hears.onTrouble(`A message can have at most ${FILES_MAX} files.`);
        break;
      }
      this.#bring({ name: file.name || 'file', bytes: file.size, state: 'coming', threadId: this.#threadId, source: file }, file);
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
    file.row.classList.toggle('coming', file.state !== 'kept');
    file.row.querySelector('.size').textContent = file.state === 'kept' ? sizeOf(file.bytes) : 'uploading…';
    return file.row;
  }

  #newRow(file) {
    const row = element('li');
    const picture = element('span', 'picture', kindOf(file.name));
    picture.setAttribute('aria-hidden', 'true');
    const about = element('span', 'about');
    about.append(element('span', 'name', file.name), element('span', 'size'));
    const button = element('button', '', '×');
    button.type = 'button';
    button.setAttribute('aria-label', `Remove ${file.name}`);
    button.addEventListener('click', () => this.#remove(file));
    row.addEventListener('keydown', (event) => {
      if (event.key === 'Delete' || event.key === 'Backspace') {
        event.preventDefault();
        this.#remove(file);
      }
    });
    row.append(picture, about, button);
    this.#draw(file, picture);
    return row;
  }

  async #draw(file, picture) {
    const canvas = await thumbnailOf(file.source);
    delete file.source;
    if (canvas) {
      picture.replaceChildren(canvas);
    }
  }

  /** The focus goes to the next one, so that several can be removed without a mouse. */
  #remove(file) {
    const at = this.#files.indexOf(file);
    const hadFocus = file.row.contains(document.activeElement);
    this.#files = this.#files.filter((other) => other !== file);
    this.#show();
    if (hadFocus) {
      const next = this.#files[Math.min(at, this.#files.length - 1)];
      (next?.row.querySelector('button') ?? document.getElementById('say')).focus();
    }
  }
}

/** The ending of a name, as a picture of its kind. */
function kindOf(name) {
  const ending = /\.([A-Za-z0-9]{1,4})$/.exec(name)?.[1];
  return ending ? ending.toUpperCase() : 'FILE';
}
