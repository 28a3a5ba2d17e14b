// Markdown to safe nodes. A model's answer is untrusted: it may repeat what a stranger wrote. So raw HTML is shown as
// text, nothing is fetched by showing an answer (images become links, which say where they lead), links are http or
// https only, and whatever comes out is cleaned once more before it reaches the page.
import { Marked } from './lib/marked.js';
import DOMPurify from './lib/dompurify.js';
import { highlight } from './highlight.js';
import { mathExtensions, setMaths } from './maths.js';

/** Longer texts are shown plain: the parser's time grows faster than its text. */
const MARKDOWN_CHARS_MAX = 50_000;

/** No one writes so many of the same sign in a row, except to keep the parser busy. */
const ENDLESS_RUN = /([^\w])\1{999}|_{1000}/;

/**
 * Markup that is opened again and again and never closed costs the parser more than the square of its length. After
 * this long the rest of a text keeps its signs as they are.
 */
const PARSE_MILLIS_MAX = 150;
let parseUntil = 0;

/** For marked's tokenizers: false means that its own one is asked, undefined that this is plain text. */
const whileCheap = () => (performance.now() < parseUntil ? false : undefined);

const purifier = DOMPurify(window);
const CLEAN = {
  ALLOWED_TAGS: [
    'p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'span',
    'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td',
  ],
  ALLOWED_ATTR: ['href', 'align', 'start', 'data-language', 'data-host', 'data-math', 'data-task'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const escape = (text) =>
  text.replace(/[&<>"']/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign]);

/** The address when it is a whole one on the web, else null. */
function webAddress(href) {
  try {
    const url = new URL(href);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/** A link that says its host, unless its text does so already: text may not pretend to lead elsewhere. */
function anchor(url, html, text) {
  const says = text === url.host || `${text}/`.startsWith(`${url.origin}/`);
  const host = says ? '' : `<span data-host="1"> (${escape(url.host)})</span>`;
  return `<a href="${escape(url.href)}">${html}</a>${host}`;
}

const marked = new Marked({
  gfm: true,
  breaks: true,
  tokenizer: { link: whileCheap, reflink: whileCheap, emStrong: whileCheap, del: whileCheap },
  renderer: {
    html: ({ text, block }) =>
      block ? `<p>${escape(text.trim()).replaceAll('\n', '<br>')}</p>` : escape(text),
    link({ href, raw, text, tokens }) {
      const url = webAddress(href);
      return url ? anchor(url, this.parser.parseInline(tokens), text) : escape(raw);
    },
    image({ href, raw, text }) {
      const url = webAddress(href);
      return url ? anchor(url, `image: ${escape(text || 'no description')}`, text) : escape(raw);
    },
    code: ({ text, lang }) =>
      `<pre data-language="${escape((lang ?? '').split(/\s/)[0].slice(0, 30))}"><code>${escape(text)}</code></pre>`,
    checkbox: ({ checked }) => `<span data-task="${checked ? 'done' : 'open'}"></span>`,
  },
  extensions: mathExtensions(() => performance.now() < parseUntil, escape),
});

/** The nodes to show for a text written in Markdown. */
export function markdown(text) {
  if (isTooMuch(text)) {
    return plain(text);
  }
  try {
    parseUntil = performance.now() + PARSE_MILLIS_MAX;
    const fragment = nodesOf(marked.parse(text));
    finish(fragment);
    return fragment;
  } catch {
    return plain(text); // A text that the parser trips over is still an answer.
  }
}

/**
 * A text that is still growing. Blocks that are finished are parsed, coloured and set once and stay as they are; only
 * the last one is drawn again.
 */
export class GrowingMarkdown {
  #body;
  #done = 0;
  #last = [];

  /** @param body the node to fill, and nobody else's */
  constructor(body) {
    this.#body = body;
  }

  /** @param text begins with what it was before */
  show(text) {
    if (text.length > MARKDOWN_CHARS_MAX || isTooMuch(text.slice(this.#done))) {
      this.#body.replaceChildren(plain(text));
      this.#done = 0;
      this.#last = [];
      return;
    }
    if (this.#last.length === 0 && this.#done === 0) {
      this.#body.replaceChildren();
    }
    this.#last.forEach((node) => node.remove());
    try {
      this.#draw(text.slice(this.#done));
    } catch {
      this.#last = [...plain(text.slice(this.#done)).childNodes];
      this.#body.append(...this.#last);
    }
  }

  #draw(rest) {
    parseUntil = performance.now() + PARSE_MILLIS_MAX;
    const blocks = marked.lexer(rest);
    const last = blocks.findLastIndex(({ type }) => type !== 'space');
    const finished = blocks.slice(0, Math.max(0, last));
    if (finished.length > 0) {
      const fragment = nodesOf(marked.parser(finished));
      finish(fragment);
      this.#body.append(fragment);
      this.#done += finished.reduce((sum, { raw }) => sum + raw.length, 0);
    }
    const growing = nodesOf(marked.parser(blocks.slice(Math.max(0, last))));
    this.#last = [...growing.childNodes];
    this.#body.append(growing);
  }
}

const isTooMuch = (text) => text.length > MARKDOWN_CHARS_MAX || ENDLESS_RUN.test(text);

/** Clean nodes of what the parser made. */
function nodesOf(html) {
  const fragment = purifier.sanitize(html, CLEAN);
  fragment.querySelectorAll('a').forEach(openElsewhere);
  fragment.querySelectorAll('[data-host]').forEach((node) => {
    node.removeAttribute('data-host');
    node.className = 'host';
  });
  fragment.querySelectorAll('pre').forEach(frameCode);
  fragment.querySelectorAll('table').forEach(frameTable);
  fragment.querySelectorAll('[data-task]').forEach(drawTask);
  return fragment;
}

/** What would flicker in a block that still grows. */
function finish(fragment) {
  fragment.querySelectorAll('.code').forEach((frame) => highlight(frame.querySelector('code'), frame.dataset.language));
  setMaths(fragment);
}

function plain(text) {
  const fragment = document.createDocumentFragment();
  const node = document.createElement('p');
  node.className = 'plain';
  node.textContent = text;
  fragment.append(node);
  return fragment;
}

function openElsewhere(link) {
  const url = webAddress(link.getAttribute('href') ?? '');
  if (!url) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  link.title = url.href;
}

function frameCode(pre) {
  const language = pre.getAttribute('data-language') ?? '';
  pre.removeAttribute('data-language');
  pre.tabIndex = 0;
  const frame = document.createElement('div');
  frame.className = 'code';
  frame.dataset.language = language.toLowerCase();
  const header = document.createElement('header');
  const name = document.createElement('span');
  name.textContent = language || 'text';
  header.append(name, copyButton(() => pre.textContent));
  pre.replaceWith(frame);
  frame.append(header, pre);
}

/** A wide table scrolls by itself, so that the page never scrolls sideways. */
function frameTable(table) {
  const frame = document.createElement('div');
  frame.className = 'table';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'group');
  frame.setAttribute('aria-label', 'Table');
  table.replaceWith(frame);
  frame.append(table);
}

/** The box before an item of a task list: a picture, as it cannot be ticked here. */
function drawTask(box) {
  const isDone = box.getAttribute('data-task') === 'done';
  box.removeAttribute('data-task');
  box.className = isDone ? 'task done' : 'task';
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', isDone ? 'done' : 'not done');
  box.closest('li')?.classList.add('has-task');
}

/** A button that copies what `textOf` returns and says so. */
export function copyButton(textOf) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copy(textOf())) ? 'Copied' : 'Not allowed';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  return button;
}

/** The clipboard of the browser exists on https and on localhost only; elsewhere the old command still works. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.className = 'unseen';
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    return copied;
  }
}
