// One open conversation: keeps its transcript true by the log and the stream, and shows it.
import * as api from './api.js';
import { showTimeLeft } from './approval.js';
import { heldBack } from './replaced.js';
import { edit, replaceable, takeEdited } from './replacing.js';
import { showPlanTimes, waitingOf } from './plan.js';
import { whyNot } from './speaking.js';
import { chosen, showLevels } from './levels.js';
import * as rights from './rights.js';
import * as store from './store.js';
import { showStory } from './story.js';
import { Stream } from './stream.js';
import { ThreadPlans } from './threadplans.js';
import * as titles from './titles.js';
import { Transcript } from './transcript.js';
import { View } from './view.js';
import { elapsed, ofTurn, sentence } from './words.js';

/** Large entries make short pages. */
const PAGES_MAX = 8;

/** How far back the page goes to show something that was found. */
const FIND_PAGES_MAX = 60;

/** How many messages without an answer are asked about, the newest ones. */
const OUTCOMES_MAX = 20;
const RELOAD_FIRST_MS = 500;
const RELOAD_MAX_MS = 15_000;

const byId = (id) => document.getElementById(id);
let view = null;

export class Conversation {
  #sender;
  #hears;
  #transcript;
  #plans;
  #stream = null;
  #closed = false;
  #next = '';
  #readsOlder = false;
  #loaded = false;
  #firstLoad = Promise.withResolvers();
  #stopping = false;
  #owner = '';
  #connection = { state: 'connecting', until: 0 };
  #clock = setInterval(() => this.#tick(), 500);
  #wakeUp = () => {};

  /** @param hears {onOnline(), onCondition(), onPlans(), onChange(), onDeleted(threadId), onUnshared(threadId), onDraft(text), onEvent(kind, data, threadId)} */
  constructor(threadId, sender, hears) {
    this.threadId = threadId;
    this.#sender = sender;
    this.#hears = hears;
    this.#transcript = new Transcript(threadId, () => Date.now(), (person) => !rights.areKnown() || person === rights.person());
    this.#plans = new ThreadPlans(threadId, () => this.#showPlans());
    // The view belongs to the page, and there is one page: each conversation takes it over.
    view ??= new View({
      onStory: (eventId) => showStory(eventId),
      onRetry: (key, forced) => current.#sender.retry(key, forced),
      onEdit: (item) => current.#edit(item),
      onAgain: (item) => current.#sayInPlace(item, item.text, []),
      onReplaced: (eventId) => current.#openReplaced(eventId),
      onDiscard: (key) => current.#takeBack(key),
      onDecide: (approval, yes) => current.#decide(approval, yes),
      onPlan: (planId) => current.#readPlan(planId),
      urlOf: (file) => (file.file ? api.fileUrl(current.threadId, file.file) : ''),
    });
    current = this;
    view.clear();
    this.trouble('');
    takeEdited();
    byId('welcome').hidden = true;
    byId('earlier').hidden = true;
    this.showRights();
    this.#show();
    this.#load(false);
  }

  get writable() {
    return !whyNot(this.threadId);
  }

  /** Shows the box for messages, or why there is none. */
  showRights() {
    const why = whyNot(this.threadId);
    document.body.toggleAttribute('data-readonly', Boolean(why));
    byId('readonly').hidden = !why;
    byId('readonly').textContent = why;
    showLevels(this.threadId);
  }

  close() {
    this.#closed = true;
    clearInterval(this.#clock);
    this.#stream?.close();
    this.#plans.close();
    this.#wakeUp();
  }

  hurry() {
    this.#stream?.hurry();
    this.#wakeUp();
  }

  /** `files`: those that the server has, to go with it. */
  say(text, files) {
    const edited = takeEdited();
    if (edited) {
      this.#sayInPlace(edited, text, files);
    } else {
      this.#say(text, files, {});
    }
  }

  /** The files of the message that is replaced go with the new one. */
  #sayInPlace(item, text, files) {
    const had = (item.files ?? []).filter((file) => file.file);
    this.#say(text, [...had, ...files], { supersedes: item.eventId });
  }

  #edit(item) {
    edit(item);
    this.#hears.onDraft(item.text);
    byId('say').focus();
  }

  #openReplaced(eventId) {
    const { opened } = this.#transcript;
    if (!opened.delete(eventId)) {
      opened.add(eventId);
    }
    this.#show();
  }

  #say(text, files, options) {
    const message = this.#sender.add(this.threadId, text, files, { ...options, ...chosen() });
    this.#transcript.addLocal(message, 'sending');
    titles.suggest(this.threadId, text || files[0].name);
    this.#show();
    view.toBottom();
  }

  sending(message) {
    this.trouble('');
    this.#local(message, 'sending');
  }

  waiting(message, error) {
    this.#local(message, 'retrying');
    if (error.status !== 0) {
      this.trouble(`${sentence(error)} Your message will be sent again automatically.`);
    }
  }

  /** Messages on their way from other tabs: those that have come, and those that are gone, sent or discarded. */
  others(come, gone) {
    come
      .filter((message) => message.threadId === this.threadId)
      .forEach((message) => this.#transcript.addLocal(message, message.failed ? 'failed' : 'sending'));
    gone.forEach(({ key }) => this.#transcript.removeLocal(key));
    this.#show();
  }

  /** Somebody else's conversation may be shared no longer: then nothing of it stays. */
  async checkShared() {
    if (!this.#owner || rights.may('admin') || rights.isMe(this.#owner)) {
      return;
    }
    try {
      await api.thread(this.threadId);
    } catch (error) {
      if (error.status === 404 && !this.#closed) {
        this.#hears.onUnshared(this.threadId);
      }
    }
  }

  failed(message, error) {
    if (error.status === 404) {
      this.checkShared();
    }
    this.#local(message, 'failed', heldBack(error) || sentence(error), Boolean(error.details?.effects));
  }

  accepted(message, eventId) {
    if (message.threadId === this.threadId) {
      this.trouble('');
      this.#transcript.accepted(message.key, eventId);
      this.#show();
    }
  }

  /** Ends the running answer, if there is one. */
  async stop() {
    if (!this.#transcript.turn || this.#stopping || !this.writable) {
      return;
    }
    this.#stopping = true;
    this.#showTurn();
    try {
      await api.stop(this.threadId, false);
      this.trouble('');
    } catch (error) {
      this.trouble(`Could not stop. ${sentence(error)}`);
    }
    this.#stopping = false;
    this.#showTurn();
  }

  /** Brings the messages before the first one. */
  async earlier() {
    if (!this.#next || this.#readsOlder) {
      return;
    }
    this.#readsOlder = true;
    try {
      let { entries, next } = await api.log(this.threadId, api.LOG_PAGE, this.#next);
      for (let page = 1; page < PAGES_MAX && next && entries.length < api.LOG_PAGE; page++) {
        const older = await api.log(this.threadId, api.LOG_PAGE - entries.length, next);
        entries = [...older.entries, ...entries];
        next = older.next;
      }
      if (!this.#closed) {
        this.#next = next ?? '';
        view.keepPlace(() => {
          this.#transcript.prepend(entries);
          this.#transcript.earlier = Boolean(next);
          this.#show();
        });
        this.#readApprovals();
      }
      this.trouble('');
    } catch (error) {
      this.#next = error.status === 0 ? this.#next : '';
      this.trouble(sentence(error));
    }
    this.#readsOlder = false;
    byId('earlier').hidden = !this.#next;
  }

  /** Goes to an entry of the log, however far back. */
  async find(entry, eventId) {
    await this.#firstLoad.promise;
    for (let page = 0; page < FIND_PAGES_MAX && !this.#closed; page++) {
      if (view.toEntry(entry, eventId) || !this.#next) {
        return;
      }
      await this.earlier();
    }
  }

  /** Shows a sentence above the box once the conversation has been read. */
  async begin(text) {
    await this.#firstLoad.promise;
    this.trouble(text);
  }

  /** Shows a sentence above the box; an empty one takes it away. */
  trouble(text) {
    byId('trouble').textContent = text;
    byId('trouble').hidden = !text;
  }

  /** Reads the log and goes on from its cursor; tries until it succeeds. */
  async #load(marking) {
    for (let failures = 0; !this.#closed; failures++) {
      try {
        const { entries, cursor, next } = await this.#log();
        if (this.#closed) {
          return;
        }
        this.trouble('');
        this.#take(entries, next, marking);
        this.#listen(cursor ?? '');
        this.#askForTurn();
        return;
      } catch (error) {
        if (!error.status && !error.code) {
          throw error; // A bug of this page, and not a failure of the server.
        }
        if (error.status === 401 || error.status === 403) {
          this.#refused(error);
          return;
        }
        if (error.status !== 0) {
          this.trouble(sentence(error));
        }
        await this.#rest(failures);
      }
    }
  }

  /** With 401 the whole page ends. */
  #refused(error) {
    if (error.status !== 401) {
      this.trouble(sentence(error));
    }
  }

  /** A conversation that nobody has begun yet is unknown to the server, and empty. */
  async #log() {
    try {
      return await api.log(this.threadId);
    } catch (error) {
      if (error.status === 404) {
        return { entries: [], cursor: '', next: null };
      }
      throw error;
    }
  }

  #take(entries, next, marking) {
    this.#next = next ?? '';
    this.#transcript.earlier = Boolean(next);
    this.#transcript.load(entries, this.#sender.messages, marking);
    this.#loaded = true;
    this.#show();
    view.speak();
    byId('earlier').hidden = !next;
    this.#firstLoad.resolve();
    this.#readApprovals();
    this.#learnOutcomes();
    if (entries.length > 0) {
      this.#learnTitle();
    }
  }

  /** The log does not say how a message ended that has no answer. */
  async #learnOutcomes() {
    const unknown = this.#transcript.unanswered.slice(-OUTCOMES_MAX);
    await Promise.all(
      unknown.map(async (eventId) => {
        try {
          this.#transcript.setOutcome(eventId, (await api.story(eventId)).state);
        } catch {
          // Its mark tells the story, all the same.
        }
      }),
    );
    if (unknown.length > 0) {
      this.#show();
    }
  }

  async #learnModel(eventId) {
    try {
      const made = (await api.story(eventId)).model_calls ?? [];
      this.#transcript.setModel(eventId, made.findLast((call) => call.outcome === 'ok')?.model ?? '');
      this.#show();
    } catch {
      // The answer is there without it.
    }
  }

  async #learnTitle() {
    try {
      const thread = await api.thread(this.threadId);
      titles.learn([thread]);
      this.#owner = thread.owner;
      this.#show();
    } catch {
      // Its first words are a title, too.
    }
  }

  #listen(cursor) {
    let blind = cursor === '';
    this.#stream = new Stream(this.threadId, cursor, {
      onEvent: (kind, data) => this.#onEvent(kind, data),
      onGap: () => this.#load(true),
      onState: (state, until) => {
        this.#onState(state, until);
        if (blind && state === 'open') {
          blind = false;
          this.#catchUp();
        }
      },
      onRefused: (error) => this.#refused(error),
    });
  }

  /** Without a cursor, what was said between the first look and the stream's opening would be missing. */
  async #catchUp() {
    if (this.#transcript.items.length === 0) {
      return;
    }
    try {
      const { entries, next } = await this.#log();
      if (!this.#closed) {
        this.#take(entries, next, false);
      }
    } catch {
      // The stream goes on, and a later gap or reload mends it.
    }
  }

  /** Only a page that comes in the middle needs to ask; the stream tells the rest. */
  async #askForTurn() {
    if (!this.#transcript.items.some((item) => item.kind === 'user' && !['answered', 'failed'].includes(item.state))) {
      return;
    }
    try {
      const [, turn] = await Promise.all([this.#readApprovals(), api.thread(this.threadId)]);
      this.#transcript.loadTurn(turn);
      this.#show();
    } catch {
      // The line below the messages stays empty until the next event.
    }
  }

  /** Only where the log has questions there are any. */
  async #readApprovals() {
    if (!this.#transcript.items.some((item) => item.kind === 'question' || (item.kind === 'user' && item.state !== 'answered'))) {
      return;
    }
    try {
      const { approvals } = await api.approvals(this.threadId);
      this.#transcript.loadApprovals(approvals);
      this.#show();
    } catch {
      // The questions stay as the text that they were asked in.
    }
  }

  #onEvent(kind, data) {
    if (data.thread_id && data.thread_id !== this.threadId) {
      return;
    }
    if (kind === 'condition.changed') {
      this.#hears.onCondition();
      return;
    }
    if (kind === 'thread.changed') {
      this.#learnTitle();
      this.#hears.onChange();
      return;
    }
    if (kind === 'thread.deleted') {
      this.#hears.onDeleted(this.threadId);
      return;
    }
    if (kind === 'plan.moved' || kind === 'task.moved') {
      if (data.thread_id) {
        this.#plans.read(data.plan_id);
      }
      this.#hears.onPlans();
      return;
    }
    this.#transcript.apply(kind, data);
    this.#hears.onEvent(kind, data, this.threadId);
    if (kind === 'turn.text') {
      view.showSoon(() => current.#shown());
      this.#showTurn();
      return;
    }
    this.#show();
    if (kind === 'event.accepted' || kind === 'event.finished') {
      this.#hears.onChange();
    }
    if (kind === 'event.finished' && data.outcome === 'answered') {
      this.#learnModel(data.event_id);
    }
  }

  #onState(state, until) {
    if (this.#closed) {
      return;
    }
    this.#connection = { state, until };
    if (state === 'open') {
      this.#hears.onOnline();
      this.#plans.load();
    }
    this.#showConnection();
  }

  #local(message, state, why = '', hadEffects = false) {
    if (message.threadId === this.threadId) {
      this.#transcript.setLocal(message.key, state, why, hadEffects);
      this.#show();
    }
  }

  /** Resolves with what went wrong, or with nothing: then the card says how it was answered. */
  async #decide(approval, yes) {
    try {
      this.#transcript.settle(await api.decide(approval.id, yes));
      this.#show();
      byId('say').focus();
      return '';
    } catch (error) {
      if (error.status === 409) {
        this.#readApprovals(); // Somebody else was faster, or its time is over.
      }
      return sentence(error);
    }
  }

  #readPlan(planId) {
    this.#plans.read(planId);
    this.#hears.onPlans();
  }

  #showPlans() {
    this.#transcript.plans = this.#plans.all;
    this.#show();
  }

  /** Goes to what waits for a person. */
  answer() {
    view.toQuestion(this.#plans.waiting?.plan_id);
  }

  #takeBack(key) {
    const message = this.#sender.discard(key);
    this.#transcript.removeLocal(key);
    this.#show();
    if (message && !byId('say').value) {
      this.#hears.onDraft(message.text);
      store.keepDraft(this.threadId, message.text);
    }
  }

  async #rest(failures) {
    const millis = Math.min(RELOAD_FIRST_MS * 2 ** failures, RELOAD_MAX_MS) * (0.5 + Math.random() / 2);
    this.#onState('waiting', Date.now() + millis);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onState('connecting', 0);
  }

  #show() {
    if (this.#closed) {
      return;
    }
    const shown = this.#shown();
    view.show(shown);
    showTimeLeft();
    byId('welcome').hidden = !this.#loaded || shown.length > 0 || !this.writable;
    this.#showWaiting();
    this.#showTitle();
    this.#showTurn();
  }

  /** What is to be seen, with what can be done about it. */
  #shown() {
    const { shown, turn } = this.#transcript;
    const { edit: mine, again } = replaceable(shown, turn, this.#owner);
    const answer = again && shown.findLast((item) => item.eventId === again.eventId && item.kind !== 'user');
    return shown.map((item) => {
      if (item === answer && ['answer', 'problem'].includes(item.kind)) {
        return { ...item, can: 'again', asked: again };
      }
      return mine.has(item) ? { ...item, can: 'edit' } : item;
    });
  }

  /** Wherever its card may stand: a plan that waits is said at the end. */
  #showWaiting() {
    const { waiting } = this.#plans;
    byId('waiting').hidden = !waiting;
    if (waiting) {
      const many = waitingOf(waiting);
      byId('waiting-goal').textContent = waiting.goal;
      byId('waiting-words').textContent = many === 1 ? 'A step waits for you:' : `${many} steps wait for you:`;
    }
  }

  #showTitle() {
    const first = this.#transcript.items.find((item) => item.kind === 'user');
    if (first && !this.#next) {
      titles.suggest(this.threadId, first.text);
    }
    const isNew = this.#transcript.items.length === 0 && !titles.isNamed(this.threadId);
    const title = isNew ? 'New conversation' : titles.titleOf(this.threadId);
    byId('about').hidden = isNew;
    byId('title').textContent = title;
    document.title = title === 'New conversation' ? 'Holdfast' : `${title} · Holdfast`;
  }

  #showTurn() {
    const { turn } = this.#transcript;
    const line = byId('turn');
    byId('stop').hidden = !turn || !this.writable;
    byId('stop').disabled = this.#stopping;
    if (!turn) {
      line.replaceChildren();
      delete line.dataset.phase;
      return;
    }
    line.dataset.phase = turn.phase;
    const words = this.#stopping ? 'stopping…' : ofTurn(turn);
    if (line.firstElementChild?.textContent !== words) {
      // The seconds are for the eye only: read aloud, they would never end.
      line.replaceChildren(span(words), ' ', span(''));
      line.lastElementChild.setAttribute('aria-hidden', 'true');
    }
    // A tool is named with its own time; thinking and writing go by the whole turn's.
    line.lastElementChild.textContent = elapsed(Date.now() - (turn.label ? turn.labelSince : turn.since));
  }

  #showConnection() {
    const { state, until } = this.#connection;
    const seconds = Math.ceil((until - Date.now()) / 1000);
    const offline = state === 'waiting' && navigator.onLine === false;
    const words = {
      open: 'connected',
      connecting: 'connecting',
      waiting: offline ? 'offline' : 'reconnecting',
    }[state];
    const line = byId('connection');
    line.dataset.state = offline ? 'offline' : state;
    if (line.textContent !== words) {
      line.textContent = words;
    }
    line.title = state === 'waiting' && seconds > 0 ? `Retrying in ${seconds} s` : '';
  }

  #tick() {
    this.#showTurn();
    showTimeLeft();
    showPlanTimes();
    if (this.#connection.state === 'waiting') {
      this.#showConnection();
    }
  }
}

/** The conversation that the page shows. */
let current = null;

function span(text) {
  const node = document.createElement('span');
  node.textContent = text;
  return node;
}
