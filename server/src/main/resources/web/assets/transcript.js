// One chat thread as this page knows it: pure data, no page, no network. The server's log is the truth; the stream
// moves it on; messages on their way stand at the end until the server names them.

import { withReplaced } from './replaced.js';

/** Labels in a reply's id, `<event>.<label><replays>.<part>`, and what their texts are. */
const KINDS = { a: 'answer', n: 'notice', e: 'problem', c: 'command', p: 'question' };

/** What a thread does while none of its messages is worked on. */
const RESTING = new Set(['inactive', 'idle', 'queued']);
const FINAL = new Set(['answered', 'silent', 'held', 'dead_lettered', 'cancelled']);

/** {eventId, kind, base} of a reply's id, with or without its part number. */
function takeApart(replyId) {
  const match = /^(.*)\.([a-z])(\d*)(?:\.(\d+))?$/.exec(replyId);
  return match
    ? { eventId: match[1], kind: KINDS[match[2]] ?? 'notice', base: `${match[1]}.${match[2]}${match[3]}` }
    : { eventId: '', kind: 'notice', base: replyId };
}

/** What the text of a reply is: answer, notice, problem, command or question. */
export const kindOf = (replyId) => takeApart(replyId).kind;

export class Transcript {
  /** [{key, kind, eventId, text, at, state, from, live, files}] in order; kind: user, answer, notice, problem, command, question, approval, divider. */
  items = [];

  /** What runs now, or null: {eventId, since, phase: thinking | writing | parked | asking, attempt, label, labelSince}. */
  turn = null;

  /** Its plans, oldest first: [{plan, version}]. */
  plans = [];

  /** Whether there are messages before the first item. */
  earlier = false;

  /** Whose replaced messages are looked at: events of those that replaced them. */
  opened = new Set();

  /** Which tool calls were seen to end, by event. */
  #tools = new Map();

  /** @param isMe whether a sender is the reader */
  constructor(threadId, now, isMe = () => true) {
    this.threadId = threadId;
    this.now = now;
    this.isMe = isMe;
  }

  /** What is to be seen: a question is its card, and not its words as well; and the plans. */
  get shown() {
    const cards = new Set(this.items.filter((item) => item.kind === 'approval').map((item) => item.question));
    const items = this.items.filter((item) => item.kind !== 'question' || !cards.has(item.key));
    return this.#withPlans(withReplaced(this.#named(items), this.opened));
  }

  /** Each plan stands below the message that led to it, else where it began; an old one that has ended stands nowhere. */
  #withPlans(items) {
    if (this.plans.length === 0) {
      return items;
    }
    const messages = new Set(items.filter((item) => item.kind === 'user').map((item) => item.eventId));
    const isBelow = ({ plan }) => messages.has(plan.event_id) && !plan.retry_of;
    const below = new Map();
    this.plans.filter(isBelow).forEach((entry) => below.set(entry.plan.event_id, [...(below.get(entry.plan.event_id) ?? []), entry]));
    let byTime = this.plans.filter((entry) => !isBelow(entry));
    if (this.earlier && items.length > 0) {
      byTime = byTime.filter(({ plan }) => !isOver(plan) || Date.parse(plan.made_at) >= timeOf(items[0]));
    }
    const shown = [];
    let next = 0;
    for (const item of items) {
      const at = next < byTime.length && item.kind !== 'divider' ? timeOf(item) : 0;
      while (next < byTime.length && Date.parse(byTime[next].plan.made_at) < at) {
        shown.push(cardOf(byTime[next++]));
      }
      shown.push(item, ...(item.kind === 'user' ? (below.get(item.eventId) ?? []).map(cardOf) : []));
    }
    return [...shown, ...byTime.slice(next).map(cardOf)];
  }

  /** With the names of senders, where anybody but the reader has written. */
  #named(items) {
    const isOthers = (item) => item.kind === 'user' && item.from && !(this.threadId.startsWith('web:') && this.isMe(item.from));
    if (!items.some(isOthers)) {
      return items;
    }
    return items.map((item) => (item.kind === 'user' ? { ...item, who: isOthers(item) ? item.from : 'You' } : item));
  }

  /**
   * Starts again from the server's log.
   *
   * @param marking whether to mark what was not known before as new
   */
  load(entries, unsent, marking) {
    const before = new Map(this.items.map((item) => [identity(item), item]));
    const knewSome = this.items.some((item) => item.kind !== 'divider');
    this.items = [];
    this.turn = null;
    let marked = !marking || !knewSome;
    for (const entry of entries) {
      const item = this.#fromLog(entry);
      const old = before.get(identity(item));
      item.key = old?.key ?? item.key;
      if (!old && !marked) {
        this.items.push(divider());
        marked = true;
      }
      this.items.push(item);
    }
    this.#settle();
    unsent
      .filter((message) => message.threadId === this.threadId)
      .forEach((message) => this.addLocal(message, message.failed ? 'failed' : 'sending'));
  }

  /** Puts older entries of the log before all others. */
  prepend(entries) {
    const known = new Set(this.items.map(identity));
    this.items.unshift(...entries.map((entry) => this.#fromLog(entry)).filter((item) => !known.has(identity(item))));
    this.#settle();
  }

  /** Says what the server is doing with this thread, for a page that came in the middle. */
  loadTurn(view) {
    if (!view || this.turn || !view.doing || RESTING.has(view.doing)) {
      return;
    }
    if (FINAL.has(this.#user(view.event_id)?.state)) {
      return; // It has ended since the server was asked.
    }
    const waiting =
      this.#user(view.event_id) ??
      this.items.findLast((item) => item.kind === 'user' && item.eventId && item.state === '') ??
      this.items.find((item) => item.kind === 'user' && item.state === 'kept');
    this.turn = {
      eventId: waiting?.eventId ?? '',
      since: Date.parse(view.since) || this.now(),
      phase: view.doing === 'parked' ? 'parked' : view.doing === 'waiting for approval' ? 'asking' : 'thinking',
      attempt: 1,
      label: '',
      labelSince: Date.parse(view.since) || this.now(),
      seenStart: false,
    };
    if (this.turn.phase === 'thinking' && !['thinking', 'asking the model', 'writing'].includes(view.doing)) {
      this.turn.label = view.doing;
    }
    this.#setState(this.turn.eventId, { parked: 'parked', asking: 'asking' }[this.turn.phase] ?? 'working');
  }

  /** The calls that people were asked about, as the server lists them: newest first. */
  loadApprovals(approvals) {
    for (const approval of [...approvals].reverse()) {
      if (approval.state === 'waiting') {
        this.#ask(approval);
      }
      this.settle(approval);
    }
  }

  /** How a question stands, or how it ended. One that is not on this page has no card. */
  settle(approval) {
    const card = this.#cardOf(approval);
    if (card && (card.state === 'waiting' || approval.state !== 'waiting')) {
      card.approval = { ...card.approval, ...approval };
      card.state = approval.state;
    }
  }

  /** A message that is on its way. */
  addLocal(message, state) {
    this.items.push({
      key: message.key,
      kind: 'user',
      eventId: '',
      text: message.text,
      at: message.at,
      state,
      why: message.failed ?? '',
      hadEffects: message.hadEffects ?? false,
      supersedes: message.options?.supersedes ?? '',
      files: message.files ?? [],
    });
  }

  setLocal(key, state, why = '', hadEffects = false) {
    const item = this.items.find((candidate) => candidate.key === key);
    if (item && !item.eventId) {
      item.state = state;
      item.why = why;
      item.hadEffects = hadEffects;
    }
  }

  removeLocal(key) {
    this.items = this.items.filter((item) => item.key !== key || item.eventId);
  }

  /** The server named a message of ours. The stream may have told of it first, and may have been taken for another. */
  accepted(key, eventId) {
    const ours = this.items.find((item) => item.key === key);
    if (!ours || ours.eventId === eventId) {
      return;
    }
    const same = this.#user(eventId);
    if (same) {
      this.items = this.items.filter((item) => item !== ours);
      return;
    }
    const guessed = ours.eventId;
    ours.eventId = eventId;
    if (guessed) {
      this.items.push({ ...ours, key: guessed, eventId: guessed });
    } else {
      ours.state = 'kept';
    }
  }

  /** Events of messages of which the log says neither that they wait nor that they were answered. */
  get unanswered() {
    return this.items.filter((item) => item.kind === 'user' && item.eventId && item.state === '').map((item) => item.eventId);
  }

  /** How a message ended, where the log did not tell. */
  setOutcome(eventId, state) {
    if (FINAL.has(state) && this.#user(eventId)?.state === '') {
      this.#setState(eventId, state);
    }
  }

  /** Which model gave the answer to a message. */
  setModel(eventId, model) {
    const answer = this.items.findLast((item) => item.eventId === eventId && item.kind === 'answer');
    if (answer) {
      answer.model = model;
    }
  }

  /** Moves on by one event of the stream. Returns what a screen reader should say, or an empty text. */
  apply(kind, data) {
    const eventId = data.event_id ?? '';
    switch (kind) {
      case 'event.accepted':
        this.#onAccepted(eventId, data);
        return '';
      case 'turn.started':
        this.#dropLive(eventId);
        this.#begin(eventId, 'thinking', data.attempt ?? 1);
        return '';
      case 'turn.text':
        this.#onText(eventId, data.delta ?? '');
        return '';
      case 'turn.doing':
      case 'tool.started':
        this.#ran(data.execution, 'running');
        this.#begin(eventId, 'thinking', this.turn?.attempt ?? 1, data.label ?? '');
        return '';
      case 'tool.ended':
        this.#begin(eventId, 'thinking', this.turn?.attempt ?? 1);
        this.#countTool(eventId, data.execution ?? data.call_id);
        this.#ran(data.execution, data.error ? 'failed' : 'done');
        return '';
      case 'approval.asked':
        this.#ask({ ...data, id: data.approval_id, state: 'waiting' });
        return '';
      case 'approval.decided':
        this.#decided(data);
        return '';
      case 'turn.restart':
        this.#dropLive(eventId);
        this.#begin(eventId, 'thinking', this.turn?.attempt ?? 1);
        return '';
      case 'turn.parked':
        this.#dropLive(eventId);
        this.#begin(eventId, 'parked', 1);
        return '';
      case 'reply.planned':
        return this.#onReply(data);
      case 'event.finished':
        this.#onFinished(eventId, data.outcome ?? 'answered');
        return '';
      default:
        return '';
    }
  }

  #fromLog(entry) {
    return { ...this.#said(entry), files: entry.attachments ?? [] };
  }

  #said(entry) {
    if (entry.role === 'user') {
      const state = entry.pending ? 'kept' : '';
      return {
        key: entry.event_id,
        kind: 'user',
        eventId: entry.event_id,
        text: entry.text,
        at: entry.at,
        state,
        from: entry.sender,
        supersedes: entry.supersedes ?? '',
      };
    }
    const { eventId, kind, base } = takeApart(entry.id ?? '');
    const spoken = entry.role === 'assistant' && kind === 'notice' ? 'answer' : kind;
    return { key: base, kind: spoken, eventId: entry.event_id || eventId, text: entry.text, at: entry.at, state: '', tools: entry.tools ?? 0, model: entry.model ?? '' };
  }

  #ask(approval) {
    if (this.#cardOf(approval)?.state !== 'waiting') {
      return;
    }
    const isKnown = this.turn?.eventId === approval.event_id;
    this.#begin(approval.event_id, 'asking', this.turn?.attempt ?? 1);
    if (!isKnown && this.turn?.eventId === approval.event_id) {
      this.turn.since = Date.parse(approval.asked_at) || this.turn.since;
    }
  }

  /** Its card; made at its place if it is not there: where it was asked, else behind all that belongs to its event. */
  #cardOf(approval) {
    const key = `approval ${approval.id}`;
    const known = this.items.find((item) => item.key === key);
    if (known) {
      return known;
    }
    const question = `${approval.id}.p`;
    const asked = this.items.findIndex((item) => item.key === question);
    if (asked < 0 && approval.state !== 'waiting') {
      return undefined;
    }
    const card = { key, kind: 'approval', eventId: approval.event_id, text: '', at: approval.asked_at, state: 'waiting', approval, question };
    if (asked < 0) {
      this.#insert(card);
    } else {
      this.items.splice(asked, 0, card);
    }
    return card;
  }

  #decided(data) {
    const card = this.items.find((item) => item.key === `approval ${data.approval_id}`);
    if (card?.state === 'waiting') {
      const result = data.state === 'approved' ? '' : 'not_run';
      this.settle({ id: data.approval_id, state: data.state, decided_by: data.by, decided_at: new Date(this.now()).toISOString(), result });
      this.#begin(data.event_id, 'thinking', this.turn?.attempt ?? 1);
    }
  }

  /** What becomes of a call that was approved. */
  #ran(execution, result) {
    for (const card of this.items.filter((item) => item.kind === 'approval' && isOf(item.approval, execution))) {
      if (card.approval.state !== 'waiting') {
        this.settle({ id: card.approval.id, state: 'used', result });
      }
    }
  }

  #countTool(eventId, execution) {
    const ended = this.#tools.get(eventId) ?? new Set();
    this.#tools.set(eventId, ended.add(execution));
  }

  /** After a load: whoever has an answer is answered; whoever has none yet is at least kept. */
  #settle() {
    const answered = new Set(
      this.items.filter((item) => item.kind === 'answer' || item.kind === 'command').map((item) => item.eventId),
    );
    this.items
      .filter((item) => item.kind === 'user' && answered.has(item.eventId))
      .forEach((item) => (item.state = 'answered'));
  }

  #onAccepted(eventId, data) {
    if (this.#user(eventId)) {
      return;
    }
    const ours = this.items.find(
      (item) => item.kind === 'user' && !item.eventId && item.text === data.text && item.state !== 'failed',
    );
    if (ours) {
      ours.eventId = eventId;
      ours.state = 'kept';
      ours.files = data.attachments ?? ours.files;
      ours.from = data.sender;
      return;
    }
    this.items.push({
      key: eventId,
      kind: 'user',
      eventId,
      text: data.text ?? '',
      at: this.now(),
      state: 'kept',
      from: data.sender,
      supersedes: data.supersedes ?? '',
      files: data.attachments ?? [],
    });
  }

  #begin(eventId, phase, attempt, label = '') {
    const user = this.#user(eventId);
    if (user && FINAL.has(user.state)) {
      return; // Replayed from before the log was read.
    }
    const same = this.turn?.eventId === eventId && this.turn.attempt === attempt;
    const goesOn = same && this.turn.phase !== 'parked' && phase !== 'parked';
    const since = goesOn ? this.turn.since : this.now();
    const labelSince = goesOn && label && this.turn.label === label ? this.turn.labelSince : this.now();
    this.turn = { eventId, since, phase, attempt, label, labelSince };
    this.#setState(eventId, { parked: 'parked', asking: 'asking' }[phase] ?? 'working');
  }

  #onText(eventId, delta) {
    if (this.items.some((item) => item.eventId === eventId && item.kind === 'answer' && !item.live)) {
      return;
    }
    let live = this.items.find((item) => item.eventId === eventId && item.live);
    if (!live) {
      // Whoever comes in the middle of an answer has missed its beginning; the whole text follows at the end.
      const begun = this.turn?.eventId === eventId && this.turn.seenStart !== false;
      live = { key: `${eventId}.live`, kind: 'answer', eventId, text: begun ? '' : '… ', at: this.now(), state: '', live: true };
      this.#insert(live);
    }
    live.text += delta;
    if (this.turn?.eventId !== eventId) {
      this.#begin(eventId, 'writing', 1);
    } else {
      this.turn.phase = 'writing';
    }
  }

  #onReply(data) {
    const { eventId, kind, base } = takeApart(data.reply_id ?? '');
    const whose = data.event_id || eventId;
    const parts = data.parts ?? 1;
    const known = this.items.find((item) => item.key === base && !item.live);
    if (known) {
      known.files = data.attachments ?? known.files;
      this.#addPart(known, data);
      return '';
    }
    if (kind === 'answer') {
      // Several messages may be answered as one: what was streamed for the first becomes the reply to the last.
      this.items = this.items.filter((item) => !item.live && item.key !== `${whose}.cut`);
    }
    const tools = kind === 'answer' ? (this.#tools.get(whose)?.size ?? 0) : 0;
    const files = data.attachments ?? [];
    const item = { key: base, kind, eventId: whose, text: data.text ?? '', at: this.now(), state: '', tools, files };
    if (parts > 1) {
      item.parts = [];
      this.#addPart(item, data);
    }
    this.#insert(item);
    return item.text;
  }

  /** A long reply comes in parts, each maybe twice. One that came whole from the log has no parts to add. */
  #addPart(item, data) {
    if (item.parts && data.part !== undefined) {
      item.parts[data.part] = data.text ?? '';
      item.text = Object.values(item.parts).join('\n');
    }
  }

  #onFinished(eventId, outcome) {
    const said = this.#user(eventId);
    if (said?.state === 'kept' && outcome === 'cancelled') {
      said.supersedes = ''; // It was stopped before it replaced anything.
    }
    this.#setState(eventId, outcome);
    for (const item of this.items.filter((candidate) => candidate.eventId === eventId && candidate.live)) {
      item.live = false;
      item.key = `${eventId}.cut`;
      item.state = 'stopped';
    }
    this.#tools.delete(eventId);
    if (this.turn?.eventId === eventId) {
      this.turn = null;
    }
  }

  #setState(eventId, state) {
    const user = this.#user(eventId);
    if (user) {
      user.state = state;
    }
  }

  #user(eventId) {
    return eventId ? this.items.find((item) => item.kind === 'user' && item.eventId === eventId) : undefined;
  }

  #dropLive(eventId) {
    this.items = this.items.filter((item) => !(item.live && item.eventId === eventId));
  }

  /** Behind everything that belongs to the same event, so that an answer never stands below the next question. */
  #insert(item) {
    const last = this.items.findLastIndex((candidate) => candidate.eventId === item.eventId);
    if (last < 0) {
      this.items.push(item);
    } else {
      this.items.splice(last + 1, 0, item);
    }
  }
}

/** Whether a question is about this call; one of a turn that began anew has a longer key. */
const isOf = (approval, execution) =>
  Boolean(execution) && (approval.execution === execution || String(approval.execution).startsWith(`${execution}-`));
const isOver = (plan) => Boolean(plan.ended_at);
const timeOf = (item) => (typeof item.at === 'number' ? item.at : Date.parse(item.at));
const cardOf = ({ plan, version }) => ({ key: `plan ${plan.plan_id}`, kind: 'plan', eventId: '', text: '', at: plan.made_at, state: '', plan, version });

/** What makes an item the same one after a reload: a message its event, a reply its id. */
const identity = (item) => (item.kind === 'user' ? `user ${item.eventId}` : item.key);

let dividers = 0;
const divider = () => ({ key: `divider ${++dividers}`, kind: 'divider', eventId: '', text: 'new messages', at: 0, state: '' });
