// The card of a plan: its goal, how far it is, its steps, and what waits for a person. Nodes are kept and changed in
// place, so that a half-typed answer, the focus and what is folded out survive the news. All text is text.
import * as api from './api.js';
import { element } from './dom.js';
import * as rights from './rights.js';
import { dateOf, elapsed, exactTime, fullTime, ofPlan, ofStep, readable, sentence, shortTime } from './words.js';

const GOAL_SHOWN = 200;

/** Of a payload or an output: more than that is for `holdfast plans show`. */
const BLOCK_SHOWN = 20_000;
const ANSWER_MAX = 8000;
const GOES_WELL = new Set(['succeeded', 'queued', 'dispatched', 'in_progress']);
const ENDED = new Set(['succeeded', 'failed', 'cancelled', 'dead_lettered']);

const coarsePointer = matchMedia('(pointer: coarse)');
let made = 0;

export const hasEnded = (plan) => ENDED.has(plan.state);

/** How many of its steps wait for a person. */
export const waitingOf = (plan) => (plan.steps ? plan.steps.filter((step) => step.input).length : (plan.steps_waiting ?? 0));

export class PlanCard {
  node = element('section', 'plan-card');
  #hears;
  #plan = null;
  #rows = new Map();
  #goal = element('h3', 'plan-goal');
  #state = element('p', 'plan-state');
  #about = element('p', 'plan-about');
  #progress = document.createElement('progress');
  #reason = element('p', 'plan-reason');
  #fold = element('details', 'plan-fold');
  #steps = element('ol', 'plan-steps');
  #none = element('p', 'plan-none');
  #trouble = alertLine();
  #buttons = element('div', 'plan-buttons');
  #history = null;

  /**
   * @param hears {onWhole(planId): its steps are wanted; onChanged(planId): it was acted on}
   * @param withHistory whether every move is shown as well
   */
  constructor(hears, withHistory = false) {
    this.#hears = hears;
    this.#goal.id = `plan-${++made}`;
    this.#goal.dir = 'auto';
    this.node.tabIndex = -1;
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-labelledby', this.#goal.id);
    this.#progress.setAttribute('aria-label', 'Finished steps');
    this.#fold.append(element('summary', '', 'Steps'), this.#none, this.#steps);
    this.#fold.addEventListener('toggle', () => this.#fold.open && !this.#plan.steps && hears.onWhole(this.#plan.plan_id));
    const head = element('header', 'plan-head');
    head.append(this.#goal, this.#state);
    this.node.append(head, this.#about, this.#progress, this.#reason, this.#fold, this.#trouble, this.#buttons);
    if (withHistory) {
      this.#history = element('details', 'plan-history');
      this.#history.append(element('summary', '', 'History'), element('ol', 'steps'));
      this.#history.open = true;
      this.node.insertBefore(this.#history, this.#trouble);
    }
    this.#buttons.hidden = true;
  }

  /** Shows the plan as it is now, with its steps or without. */
  show(plan) {
    const first = this.#plan === null;
    this.#plan = plan;
    if (first) {
      this.#fold.open = !hasEnded(plan) || this.#history !== null;
    }
    const waiting = waitingOf(plan);
    this.node.dataset.plan = plan.plan_id;
    this.node.dataset.state = waiting > 0 ? 'waiting' : plan.state;
    setText(this.#goal, short(plan.goal, GOAL_SHOWN));
    this.#goal.title = plan.goal.length > GOAL_SHOWN ? plan.goal : '';
    setText(this.#state, waiting > 0 ? `${ofPlan(plan.state)}, waiting for a person` : ofPlan(plan.state));
    this.#showAbout(plan);
    const reason = plan.reason && plan.state !== 'succeeded' ? `Reason: ${plan.reason}` : plan.reason;
    setText(this.#reason, reason);
    this.#reason.hidden = !reason;
    this.#showSteps(plan);
    if (this.#history) {
      showMoves(this.#history, plan);
    }
    this.#showButtons(plan);
    showPlanTimes(this.node);
  }

  /** Brings what waits for a person into view, and the focus into it. */
  focusQuestion() {
    this.#fold.open = true;
    const question = this.node.querySelector('.question');
    (question ?? this.node).scrollIntoView({ block: 'center' });
    question?.querySelector('input, textarea, button')?.focus({ preventScroll: true });
  }

  #showAbout(plan) {
    const words = [progressOf(plan)];
    if (plan.replans > 0) {
      words.push(plan.replans === 1 ? 'replanned once' : `replanned ${plan.replans} times`);
    }
    if (plan.retry_of) {
      words.push(`tries plan ${codeOf(plan.retry_of)} again`);
    }
    if (plan.person) {
      words.push(`asked for by ${plan.person}`);
    }
    words.push(`plan ${codeOf(plan.plan_id)}`);
    const time = timeOf(plan.made_at, plan.ended_at);
    if (this.#about.dataset.words !== words.join()) {
      this.#about.dataset.words = words.join();
      this.#about.replaceChildren(...words.map((each) => element('span', '', each)), time);
    } else {
      this.#about.lastElementChild.replaceWith(time);
    }
    const { ended, total } = counted(plan);
    this.#progress.hidden = total === 0;
    this.#progress.max = Math.max(1, total);
    this.#progress.value = ended;
  }

  #showSteps(plan) {
    const steps = plan.steps ?? [];
    setText(this.#fold.firstElementChild, stepsWord(counted(plan).total));
    setText(this.#none, noneWord(plan));
    this.#none.hidden = steps.length > 0;
    const kept = new Set(steps.map((step) => step.task_id));
    steps.forEach((step, position) => {
      let row = this.#rows.get(step.task_id);
      if (!row) {
        row = new StepRow(() => this.#hears.onChanged(this.#plan.plan_id));
        this.#rows.set(step.task_id, row);
      }
      row.show(step, plan);
      if (this.#steps.children[position] !== row.node) {
        this.#steps.insertBefore(row.node, this.#steps.children[position] ?? null);
      }
    });
    if (plan.steps) {
      for (const [id, row] of this.#rows) {
        if (!kept.has(id)) {
          row.node.remove();
          this.#rows.delete(id);
        }
      }
    }
  }

  #showButtons(plan) {
    const cancels = !hasEnded(plan) && rights.may('chat');
    if (cancels === !this.#buttons.hidden) {
      return;
    }
    if (this.#buttons.contains(document.activeElement)) {
      this.node.focus();
    }
    this.#buttons.hidden = !cancels;
    this.#buttons.replaceChildren();
    if (cancels) {
      this.#offerCancel();
    }
  }

  #offerCancel() {
    const cancel = button('Cancel plan', 'plain');
    cancel.addEventListener('click', () => this.#askAgain());
    this.#buttons.replaceChildren(cancel);
  }

  /** What runs is cut off, and what was done stays done: that is asked twice. */
  #askAgain() {
    const sure = button('Really cancel', 'deny');
    const keep = button('Keep it', 'plain');
    const back = () => {
      this.#offerCancel();
      this.#buttons.firstElementChild.focus();
    };
    keep.addEventListener('click', back);
    sure.addEventListener('click', async () => {
      const wrong = await tried(api.cancelPlan(this.#plan.plan_id));
      tell(this.#trouble, wrong);
      if (wrong && !this.#buttons.hidden) {
        this.#offerCancel();
      }
      this.#hears.onChanged(this.#plan.plan_id);
    });
    [sure, keep].forEach((each) =>
      each.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') {
          event.preventDefault(); // nor does it close a dialog
          event.stopPropagation();
          back();
        }
      }),
    );
    const words = element('span', 'plan-sure', 'Its open steps end too; what is done stays done.');
    this.#buttons.replaceChildren(sure, keep, words);
    keep.focus();
  }
}

/** One step: kept while its plan is shown. */
class StepRow {
  node = element('li', 'plan-step');
  #onChanged;
  #mark = element('span', 'step-mark');
  #name = element('strong', 'step-name');
  #state = element('span', 'step-state');
  #when = element('span', 'when');
  #who = element('p', 'step-who');
  #why = element('p', 'step-why');
  #question = null;
  #answers = element('ul', 'step-answers');
  #more = element('details', 'step-more');
  #actions = element('p', 'step-actions');
  #trouble = alertLine();
  #step = null;
  #shownMore = '';

  constructor(onChanged) {
    this.#onChanged = onChanged;
    this.node.tabIndex = -1;
    this.#actions.hidden = true;
    const head = element('p', 'step-head');
    this.#mark.setAttribute('aria-hidden', 'true');
    this.#name.dir = 'auto';
    head.append(this.#mark, this.#name, ' ', this.#state, ' ', this.#when);
    this.#more.append(element('summary', '', 'Details'), element('div', 'step-body'));
    this.#more.addEventListener('toggle', () => this.#showMore());
    this.node.append(head, this.#who, this.#why, this.#more, this.#answers, this.#trouble, this.#actions);
  }

  show(step, plan) {
    this.#step = step;
    const { mark, text } = ofStep(step);
    const waits = step.state === 'queued' ? unmet(step, plan) : [];
    this.node.dataset.state = step.state;
    setText(this.#mark, mark);
    setText(this.#name, step.name);
    setText(this.#state, waits.length > 0 ? `waiting for ${waits.join(', ')}` : text);
    this.#when.replaceChildren(...timesOf(step));
    setText(this.#who, aboutOf(step, waits));
    const why = step.input || GOES_WELL.has(step.state) ? '' : whyOf(step);
    setText(this.#why, why);
    this.#why.hidden = !why;
    this.#showQuestion(step);
    this.#showAnswers(step.answers ?? []);
    this.#showActions(step, plan);
    this.#showMore();
  }

  #showQuestion(step) {
    const id = step.input?.input_id ?? '';
    if ((this.#question?.dataset.input ?? '') === id) {
      return;
    }
    const focused = this.#question?.contains(document.activeElement);
    this.#question?.remove();
    this.#question = null;
    if (step.input) {
      this.#question = questionOf(step, () => this.#onChanged());
      this.node.insertBefore(this.#question, this.#answers);
    }
    if (focused) {
      this.node.focus(); // It must not get lost with what was answered.
    }
  }

  #showAnswers(answers) {
    this.#answers.hidden = answers.length === 0;
    if (this.#answers.children.length !== answers.length) {
      this.#answers.replaceChildren(...answers.map(answerRow));
    }
  }

  #showActions(step, plan) {
    const again = step.retryable && hasEnded(plan) && rights.may('admin');
    if (again === this.#actions.hasChildNodes()) {
      return;
    }
    this.#actions.hidden = !again;
    if (!again) {
      this.#actions.replaceChildren();
      return;
    }
    const retry = button('Try again', 'plain');
    retry.title = 'Makes a new plan that takes over what is done and runs the other steps';
    retry.addEventListener('click', async () => {
      if (retry.ariaBusy !== 'true') {
        retry.ariaBusy = 'true'; // One new plan, however often it is pressed.
        tell(this.#trouble, await tried(api.retryTask(step.task_id)));
        retry.ariaBusy = 'false';
        this.#onChanged();
      }
    });
    this.#actions.replaceChildren(retry);
  }

  #showMore() {
    if (!this.#more.open) {
      return;
    }
    const step = this.#step;
    const version = JSON.stringify([step.state, step.attempts, step.ended_at, step.payload]);
    if (version === this.#shownMore) {
      return;
    }
    this.#shownMore = version;
    const nodes = [element('h5', '', 'Input'), block('Input', step.payload)];
    if (step.output !== null && step.output !== undefined) {
      nodes.push(element('h5', '', 'Output'), block('Output', step.output));
    }
    if (step.attempts.length > 0) {
      const list = element('ol', 'step-attempts');
      list.append(...step.attempts.map(attemptRow));
      nodes.push(element('h5', '', 'Attempts'), list);
    }
    this.#more.lastElementChild.replaceChildren(...nodes);
  }
}

const TITLES = { approval: 'Approval needed', credential: 'Credential needed', answer: 'Answer needed' };

/** What a step waits for, with what a person needs to give it. */
function questionOf(step, onChanged) {
  const { input } = step;
  const node = element('div', 'question'); // A form would have browsers offer to keep what is secret.
  node.dataset.input = input.input_id;
  node.setAttribute('role', 'group');
  const title = element('h4', '', TITLES[input.kind] ?? 'Answer needed');
  title.id = `question-${++made}`;
  node.setAttribute('aria-labelledby', title.id);
  const asked = element('p', 'asked', input.question);
  asked.id = `question-${++made}`;
  asked.dir = 'auto';
  asked.tabIndex = 0; // It may scroll, and then must be reachable without a mouse.
  const trouble = alertLine();
  node.append(title, asked);
  const send = async (answer, done = () => {}) => {
    if (node.ariaBusy === 'true') {
      return;
    }
    node.ariaBusy = 'true'; // Not disabled: that would take the focus away.
    const wrong = await tried(api.answerTask(step.task_id, answer));
    node.ariaBusy = 'false';
    tell(trouble, wrong);
    if (!wrong) {
      done();
    }
    onChanged();
  };
  if (!rights.may('chat')) {
    node.append(element('p', 'hint', 'Your token can read this, but not answer it.'));
  } else if (input.choices.length > 0) {
    const buttons = element('div', 'buttons');
    input.choices.forEach((choice, position) => {
      const yes = input.kind === 'approval' && position === 0;
      const each = button(choice, yes ? 'primary' : input.kind === 'approval' ? 'deny' : 'plain');
      each.dir = 'auto';
      each.setAttribute('aria-describedby', asked.id);
      each.addEventListener('click', () => send(choice));
      buttons.append(each);
    });
    node.append(buttons);
  } else {
    node.append(fieldOf(input, title.id, asked.id, send));
  }
  node.append(trouble, deadlineOf(input));
  return node;
}

function fieldOf(input, titleId, askedId, send) {
  const secret = input.kind === 'credential';
  const field = document.createElement(secret ? 'input' : 'textarea');
  if (secret) {
    field.type = 'password';
    field.setAttribute('autocapitalize', 'off');
  } else {
    field.rows = 1;
    field.dir = 'auto';
  }
  field.autocomplete = 'off';
  field.spellcheck = !secret;
  field.maxLength = ANSWER_MAX;
  field.setAttribute('aria-labelledby', titleId);
  field.setAttribute('aria-describedby', askedId);
  const go = button('Send answer', 'primary');
  const submit = () => {
    const answer = secret ? field.value : field.value.trim();
    if (answer) {
      send(answer, () => (field.value = ''));
    } else {
      field.focus();
    }
  };
  go.addEventListener('click', submit);
  field.addEventListener('keydown', (event) => {
    // On a touch keyboard Enter is the only way to a new line; there the button sends.
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing && (secret || !coarsePointer.matches)) {
      event.preventDefault();
      submit();
    }
  });
  const row = element('div', 'field');
  row.append(field, go);
  if (secret) {
    row.append(element('p', 'hint', 'It goes only to the agent, is never shown, and is forgotten when the step ends.'));
  }
  return row;
}

function deadlineOf(input) {
  const node = element('p', 'hint');
  const left = element('span', 'time-left');
  left.dataset.until = String(dateOf(input.deadline).getTime());
  left.setAttribute('aria-hidden', 'true'); // read aloud, the seconds would never end
  const then = input.at_deadline === 'fallback' ? `“${input.fallback}” is used as the answer` : 'the step fails';
  node.append(left, ` Without an answer by ${fullTime(input.deadline)}, ${then}.`);
  return node;
}

function answerRow(answer) {
  const row = element('li');
  const asked = element('span', 'asked-once', short(answer.question, GOAL_SHOWN));
  asked.dir = 'auto';
  const given = element('strong', '', answerWord(answer));
  given.dir = 'auto';
  row.append(asked, ' ', given);
  if (answer.answered_by && answer.answered_by !== 'deadline') {
    row.append(' ', element('span', 'when', `${answer.answered_by}, ${shortTime(answer.closed_at)}`));
  }
  return row;
}

function answerWord(answer) {
  if (!answer.answered_by) {
    return 'nobody answered';
  }
  const given = answer.kind === 'credential' ? 'given' : short(answer.answer, GOAL_SHOWN);
  return answer.answered_by === 'deadline' ? `nobody answered, so “${given}” was taken` : given;
}

function attemptRow(attempt) {
  const row = element('li');
  row.value = attempt.number;
  const said = attempt.code === 'ASKED' ? `asked: ${attempt.message}` : `${attempt.code}: ${attempt.message}`;
  const outcome = attempt.code ? said : attempt.ended_at ? 'succeeded' : 'under way';
  row.textContent = `${attempt.agent}, ${exactTime(attempt.began_at)}, ${outcome}`;
  return row;
}

/** The names of what a step needs and does not have yet. */
function unmet(step, plan) {
  const done = new Set((plan.steps ?? []).filter((each) => each.state === 'succeeded').map((each) => each.name));
  return step.needs.filter((need) => !done.has(need));
}

function aboutOf(step, waits) {
  const words = [`${step.agent}: ${step.action}`];
  if (step.needs.length > 0 && waits.length === 0) {
    words.push(`after ${step.needs.join(', ')}`);
  }
  const tries = step.attempts.filter((attempt) => attempt.code !== 'ASKED').length;
  if (tries > 1) {
    words.push(`${tries} attempts`);
  }
  if (step.round > 0) {
    words.push(`added by replan ${step.round}`);
  }
  return words.join(' · ');
}

/** Why it stands where it stands, in one line. */
function whyOf(step) {
  if (!step.reason && !step.code) {
    return '';
  }
  const said = short((step.reason || readable(step.code)).replace(/\s+/g, ' '), 500);
  return step.code && step.reason && step.state !== 'awaiting_input' ? `${step.code}: ${said}` : said;
}

/** How long it runs, ran, or waits. */
function timesOf(step) {
  const begun = step.attempts[0]?.began_at;
  if (step.ended_at) {
    return begun ? [document.createTextNode(took(begun, step.ended_at))] : [];
  }
  if (step.state === 'retried') {
    return [ticking('due', step.due_at)];
  }
  if (step.input) {
    return [ticking('since', step.input.asked_at)];
  }
  const last = step.attempts.at(-1);
  return last && !last.ended_at ? [ticking('since', last.began_at)] : [];
}

/** When a plan began, and how long it runs or ran. */
function timeOf(from, to) {
  const node = element('time', '', `${shortTime(from)}, `);
  node.dateTime = dateOf(from).toISOString();
  node.title = fullTime(from);
  node.append(to ? `took ${took(from, to)}` : ticking('since', from));
  return node;
}

function took(from, to) {
  const millis = Math.max(0, dateOf(to) - dateOf(from));
  return millis < 10_000 ? `${(millis / 1000).toFixed(1)} s` : elapsed(millis);
}

/** A time that goes on; for the eye only, because read aloud it would never end. */
function ticking(what, at) {
  const node = element('span', 'plan-time');
  node.dataset[what] = String(dateOf(at).getTime());
  node.setAttribute('aria-hidden', 'true');
  return node;
}

/** Moves all times of the page on, or of a part of it. To be called again and again. */
export function showPlanTimes(within = document) {
  for (const place of within.querySelectorAll('.plan-time')) {
    const { since, due } = place.dataset;
    const left = Number(due) - Date.now();
    setText(place, since ? elapsed(Date.now() - Number(since)) : left > 0 ? `in ${elapsed(left + 999)}` : 'now');
  }
}

function showMoves(fold, plan) {
  const moves = plan.moves ?? [];
  const list = fold.lastElementChild;
  setText(fold.firstElementChild, `History (${moves.length === 1 ? '1 change' : `${moves.length} changes`})`);
  const names = new Map((plan.steps ?? []).map((step) => [step.task_id, step.name]));
  const grown = moves.length < list.children.length ? 0 : list.children.length;
  if (grown === 0) {
    list.replaceChildren();
  }
  for (const move of moves.slice(grown)) {
    const row = element('li');
    const change = move.from ? `${readable(move.from)} → ${readable(move.to)}` : readable(move.to);
    const who = element('span', '', move.task_id ? `${names.get(move.task_id) ?? 'step'}: ${change}` : `plan: ${change}`);
    who.dir = 'auto';
    row.append(who, ' ', element('span', 'when', exactTime(move.at)));
    if (move.reason) {
      row.append(element('span', 'details', move.reason));
    }
    list.append(row);
  }
}

function counted(plan) {
  return plan.steps
    ? { total: plan.steps.length, ended: plan.steps.filter((step) => ENDED.has(step.state)).length }
    : { total: plan.steps_total ?? 0, ended: plan.steps_ended ?? 0 };
}

/** How far it is. Only with its steps it is known how they have ended. */
export function progressOf(plan) {
  const { total, ended } = counted(plan);
  if (total === 0) {
    return 'no steps yet';
  }
  const noun = total === 1 ? 'step' : 'steps';
  if (!plan.steps) {
    return `${ended} of ${total} ${noun} ended`;
  }
  const words = ['dead_lettered', 'failed', 'cancelled']
    .map((state) => plan.steps.filter((step) => step.state === state))
    .filter((steps) => steps.length > 0)
    .map((steps) => `, ${steps.length} ${ofStep(steps[0]).text}`);
  return `${plan.steps.filter((step) => step.state === 'succeeded').length} of ${total} ${noun} done${words.join('')}`;
}

const stepsWord = (total) => (total === 0 ? 'Steps' : total === 1 ? '1 step' : `${total} steps`);

function noneWord(plan) {
  if (plan.state === 'draft') {
    return 'The steps are being written.';
  }
  return plan.steps || (plan.steps_total ?? 0) === 0 ? 'It has no steps.' : 'Loading…';
}

/** What people type after /cancel. */
export const codeOf = (planId) => planId.slice(28);

const short = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

function block(label, value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const cut = text.length > BLOCK_SHOWN ? `\n… ${text.length - BLOCK_SHOWN} characters more` : '';
  const node = element('pre', 'arguments', text.slice(0, BLOCK_SHOWN) + cut);
  node.tabIndex = 0;
  node.setAttribute('role', 'region');
  node.setAttribute('aria-label', label);
  return node;
}

function alertLine() {
  const node = element('p', 'error');
  node.setAttribute('role', 'alert');
  node.hidden = true;
  return node;
}

function tell(line, words) {
  line.hidden = !words;
  line.textContent = words;
}

/** Resolves with what went wrong as a sentence, or with an empty text. */
async function tried(request) {
  try {
    await request;
    return '';
  } catch (error) {
    return sentence(error);
  }
}

function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function button(label, className) {
  const node = element('button', className, label);
  node.type = 'button';
  return node;
}
