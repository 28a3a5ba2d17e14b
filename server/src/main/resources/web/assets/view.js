// The list of messages on the page. Keeps one node per item and touches only what changed, so that a screen reader
// hears each message once, a selection survives, and long conversations stay quick.
import { cardOf } from './approval.js';
import { foldOf as replacedFold } from './replacing.js';
import { costButton } from './cost.js';
import { element } from './dom.js';
import { PlanCard } from './plan.js';
import { copyButton, GrowingMarkdown, markdown } from './render.js';
import { foldOf } from './tools.js';
import { dateOf, fullTime, ofState, shortTime, sizeOf } from './words.js';

/** An answer that is still being written is drawn at most this often, and less often when drawing takes long. */
const DRAW_EVERY_MS = 60;
const NEAR_BOTTOM_PX = 90;

export class View {
  #log = document.getElementById('log');
  #scroller = document.getElementById('scroller');
  #latest = document.getElementById('latest');
  #nodes = new Map();
  #hears;
  #drawTimer = 0;
  #drawMillis = 0;
  #sticks = true;

  /** @param hears {onStory(eventId), onRetry(key, forced), onEdit(item), onAgain(item), onReplaced(eventId), onDiscard(key), onDecide(approval, yes), onPlan(planId), urlOf(file)} */
  constructor(hears) {
    this.#hears = hears;
    this.#scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    this.#latest.addEventListener('click', () => this.toBottom());
    // A phone's keyboard changes what fits; an image or a formula that has come, what there is.
    const resized = new ResizeObserver(() => this.#stick());
    resized.observe(this.#scroller);
    resized.observe(this.#log);
  }

  /** Another conversation: begins with an empty list, at its end. */
  clear() {
    this.#log.setAttribute('aria-live', 'off');
    this.#log.replaceChildren();
    this.#nodes.clear();
    this.#sticks = true;
  }

  /** From now on additions are news, and not the history that was just loaded. */
  speak() {
    setTimeout(() => this.#log.setAttribute('aria-live', 'polite'), 300);
  }

  /** Shows the items as they are now. */
  show(items) {
    const kept = new Set();
    let previous = null;
    for (const item of items) {
      const node = this.#nodeOf(item);
      kept.add(item.key);
      const place = previous ? previous.nextSibling : this.#log.firstChild;
      if (node !== place) {
        this.#log.insertBefore(node, place);
      }
      previous = node;
    }
    for (const [key, { node }] of this.#nodes) {
      if (!kept.has(key)) {
        node.remove();
        this.#nodes.delete(key);
      }
    }
    this.#stick();
  }

  /** As show, but soon: the words of a stream come faster than a page can be drawn. */
  showSoon(itemsOf) {
    if (!this.#drawTimer) {
      const wait = Math.max(DRAW_EVERY_MS, this.#drawMillis * 4);
      this.#drawTimer = setTimeout(() => {
        this.#drawTimer = 0;
        const before = performance.now();
        this.show(itemsOf());
        this.#drawMillis = performance.now() - before;
      }, wait);
    }
  }

  /** Goes to what a plan wants to know of a person. */
  toQuestion(planId) {
    this.#nodes.get(`plan ${planId}`)?.card.focusQuestion();
  }

  /** Shows what the log calls `entry`. False when it is not here. */
  toEntry(entry, eventId) {
    const base = entry.replace(/\.\d+$/, '');
    const { node } = this.#nodes.get(entry) ?? this.#nodes.get(base) ?? {};
    const found = node ?? (entry === eventId ? this.#log.querySelector(`.user[data-event="${CSS.escape(eventId)}"]`) : null);
    if (!found) {
      return false;
    }
    this.#sticks = false;
    found.scrollIntoView({ block: 'center' });
    found.classList.add('found');
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
    setTimeout(() => found.classList.remove('found'), 4000);
    return true;
  }

  toBottom() {
    this.#sticks = true;
    this.#stick();
  }

  /** Keeps what is read in place while older messages are put above it. */
  keepPlace(change) {
    const fromEnd = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    this.#sticks = false;
    change();
    this.#scroller.scrollTop = this.#scroller.scrollHeight - fromEnd;
  }

  #scrolled() {
    const left = this.#scroller.scrollHeight - this.#scroller.scrollTop - this.#scroller.clientHeight;
    this.#sticks = left < NEAR_BOTTOM_PX;
    this.#latest.hidden = this.#sticks;
  }

  #stick() {
    if (this.#sticks) {
      this.#scroller.scrollTop = this.#scroller.scrollHeight;
      this.#latest.hidden = true;
    } else {
      this.#scrolled();
    }
  }

  #nodeOf(item) {
    const files = item.files?.map((file) => file.file ?? '').join() ?? '';
    const version = `${item.kind}|${item.state}|${item.eventId}|${item.why ?? ''}|${item.text.length}|${item.live ?? ''}|${item.tools ?? 0}|${files}|${item.version ?? ''}|${item.approval?.result ?? ''}|${item.can ?? ''}|${item.model ?? ''}|${item.replaced ?? ''}|${item.who ?? ''}`;
    const known = this.#nodes.get(item.key);
    if (known?.version === version) {
      return known.node;
    }
    const parts = known ?? { node: document.createElement(item.kind === 'divider' ? 'p' : 'article') };
    parts.version = version;
    this.#nodes.set(item.key, parts);
    this.#fill(parts, item);
    return parts.node;
  }

  #fill(parts, item) {
    const { node } = parts;
    node.className = classOf(item);
    if (item.kind === 'divider') {
      node.textContent = item.text;
      return;
    }
    node.dataset.state = item.state;
    node.dataset.kind = item.kind;
    if (item.eventId) {
      node.dataset.event = item.eventId;
    }
    if (item.kind === 'replaced') {
      node.replaceChildren(replacedFold(item, () => this.#hears.onReplaced(item.eventId)));
      return;
    }
    node.classList.toggle('replaced', Boolean(item.replaced));
    if (item.kind === 'approval') {
      node.replaceChildren(cardOf(item.approval, (yes) => this.#hears.onDecide(item.approval, yes)));
      return;
    }
    if (item.kind === 'plan') {
      if (!parts.card) {
        const read = (planId) => this.#hears.onPlan(planId);
        parts.card = new PlanCard({ onWhole: read, onChanged: read });
        node.append(parts.card.node);
      }
      parts.card.show(item.plan);
      return;
    }
    // While it grows it is not read out; the finished answer is a new node, and that one is.
    node.toggleAttribute('aria-hidden', false);
    if (item.live) {
      node.setAttribute('aria-hidden', 'true');
    }
    if (!parts.body) {
      parts.body = element('div', item.kind === 'user' ? 'text' : 'body');
      parts.body.dir = 'auto';
      parts.meta = element('footer', 'meta');
      parts.files = element('ul', 'files');
      parts.who = whoOf(item);
      node.append(parts.who, parts.body, parts.files, parts.meta);
    }
    if (item.who && parts.who.textContent !== item.who) {
      const who = whoOf(item);
      parts.who.replaceWith(who);
      parts.who = who;
    }
    if (parts.text !== item.text) {
      parts.text = item.text;
      this.#fillText(parts, item);
    }
    if (item.tools > 0 && item.kind === 'answer' && !item.live && !parts.fold) {
      parts.fold = foldOf(item.eventId, item.tools);
      node.insertBefore(parts.fold, parts.meta);
    }
    const files = item.files ?? [];
    parts.files.hidden = files.length === 0;
    parts.files.replaceChildren(...files.map((file) => fileRow(this.#hears.urlOf(file), file)));
    parts.meta.replaceChildren(...this.#metaOf(item));
  }

  #fillText(parts, item) {
    const { body } = parts;
    if (item.kind === 'answer') {
      body.classList.add('md');
    }
    if (item.kind === 'answer' && item.live) {
      parts.growing ??= new GrowingMarkdown(body);
      parts.growing.show(item.text);
    } else if (item.kind === 'answer') {
      body.replaceChildren(markdown(item.text));
    } else {
      // How to answer was only of use while the question waited.
      body.textContent = item.kind === 'question' ? item.text.replace(/\nReply \/approve .*$/, '') : item.text;
    }
  }

  #metaOf(item) {
    if (item.live) {
      return [];
    }
    if (item.kind === 'user') {
      return this.#metaOfUser(item);
    }
    const nodes = [timeOf(item)];
    if (item.state === 'stopped') {
      nodes.push(element('span', '', 'cut off here'));
    }
    if (item.kind === 'answer') {
      nodes.push(copyButton(() => item.text));
    }
    if (item.kind === 'answer' && item.eventId) {
      nodes.push(...costButton(item));
    }
    if (item.can === 'again') {
      nodes.push(this.#action('Ask again', () => this.#hears.onAgain(item.asked)));
    }
    return nodes;
  }

  #metaOfUser(item) {
    const { mark, text } = ofState(item.state);
    const nodes = [timeOf(item)];
    if (item.eventId) {
      const button = element('button', 'state', text ? `${mark} ${text}` : 'details');
      button.type = 'button';
      button.title = 'What happened to this message?';
      button.setAttribute('aria-label', `${text || 'details'}: what happened to this message?`);
      button.addEventListener('click', () => this.#hears.onStory(item.eventId));
      nodes.push(button);
    } else {
      nodes.push(element('span', 'state', `${mark} ${text}`));
    }
    if (item.why) {
      nodes.push(element('span', '', item.why));
    }
    if (item.can === 'edit') {
      nodes.push(this.#action('Edit', () => this.#hears.onEdit(item)));
    }
    if (item.state === 'failed') {
      nodes.push(
        item.hadEffects
          ? this.#action('Replace all the same', () => this.#hears.onRetry(item.key, true))
          : this.#action('Try again', () => this.#hears.onRetry(item.key, false)),
      );
      nodes.push(this.#action('Discard', () => this.#hears.onDiscard(item.key)));
    }
    return nodes;
  }

  #action(label, run) {
    const button = element('button', '', label);
    button.type = 'button';
    button.addEventListener('click', run);
    return button;
  }
}

function classOf(item) {
  switch (item.kind) {
    case 'divider':
      return 'divider';
    case 'user':
      return 'msg user';
    case 'answer':
      return `msg answer${item.live ? ' live' : ''}${item.state === 'stopped' ? ' stopped' : ''}`;
    case 'approval':
      return 'msg approval';
    case 'plan':
      return 'msg plan';
    case 'replaced':
      return 'msg';
    case 'command':
      return 'msg notice command';
    case 'problem':
      return 'msg notice problem';
    default:
      return 'msg notice';
  }
}

/** A picture, or a link to save the file; a name alone for what the server does not have. */
function fileRow(url, file) {
  const row = element('li');
  if (!url) {
    row.textContent = file.lost ? `${file.name}: not available, ${file.lost}` : file.name;
    return row;
  }
  const link = element('a');
  link.href = url;
  link.download = file.name;
  const named = `${file.name} (${sizeOf(file.bytes)})`;
  if (/^image\/(png|jpeg|gif|webp)$/.test(file.media_type)) {
    const image = element('img');
    image.src = url;
    image.alt = file.name;
    image.loading = 'lazy';
    image.addEventListener('error', () => (link.textContent = named));
    link.append(image);
  } else {
    link.textContent = named;
  }
  row.append(link);
  return row;
}

/** Who speaks, for those who do not see on which side it stands; someone else's name for all. */
function whoOf(item) {
  if (item.kind !== 'user') {
    return element('span', 'unseen', item.kind === 'answer' ? 'Holdfast says:' : 'Notice:');
  }
  return item.who ? element('span', 'who', item.who) : element('span', 'unseen', 'You say:');
}

function timeOf(item) {
  const node = element('time', '', shortTime(item.at));
  node.dateTime = dateOf(item.at).toISOString();
  node.title = fullTime(item.at);
  return node;
}
