// All plans that the reader may see, in a dialog: the list, and behind each row its card with every move.
import * as api from './api.js';
import { element } from './dom.js';
import { PlanCard, progressOf } from './plan.js';
import * as rights from './rights.js';
import { isOurs } from './threads.js';
import { titleOf } from './titles.js';
import { fullTime, ofPlan, sentence, shortTime } from './words.js';

const PAGE = 20;

/** Rows that are read again while the dialog is open. */
const FRESH_MAX = 100;
const LOOK_MS = 3000;
const COUNT_MS = 30_000;
const COUNT_MAX = 100;

const byId = (id) => document.getElementById(id);
const dialog = byId('plans');
const list = byId('plans-list');
const filter = byId('plans-state');

let rows = [];
let hasOlder = false;
let card = null;
let opened = '';
let looks = 0;
let timer = 0;
let soon = 0;
let onThread = () => {};

/** @param hears {onOpen(threadId)} */
export function listen(hears) {
  onThread = hears.onOpen;
  byId('open-plans').addEventListener('click', open);
  byId('plans-close').addEventListener('click', () => dialog.close());
  byId('plans-back').addEventListener('click', back);
  byId('plans-more').addEventListener('click', older);
  filter.addEventListener('change', () => {
    rows = [];
    showRows();
    look();
  });
  dialog.addEventListener('close', () => clearTimeout(timer));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  setInterval(() => !document.hidden && count(), COUNT_MS);
}

/** Something has moved: what is shown may be old. */
export function hurry() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    count();
    if (dialog.open) {
      look();
    }
  }, 300);
}

/** Says on the button how many steps wait for a person. */
async function count() {
  if (document.body.dataset.view !== 'chat') {
    return;
  }
  try {
    const { tasks } = await api.waitingTasks(COUNT_MAX);
    const many = tasks.length === COUNT_MAX ? `${COUNT_MAX} or more` : String(tasks.length);
    byId('plans-waiting').textContent = tasks.length === 0 ? '' : `${many} waiting`;
    byId('plans-waiting').title = tasks.length === 0 ? '' : 'Steps that wait for a person';
  } catch {
    // The connection indicator tells it.
  }
}

async function open() {
  showList();
  dialog.showModal();
  filter.focus();
  await look();
}

/** Reads again what is shown, and again while the dialog is open. */
async function look() {
  clearTimeout(timer);
  const number = ++looks;
  try {
    await rights.known();
    if (opened) {
      const plan = await api.plan(opened);
      if (number === looks) {
        card.show(plan);
        showThread(plan);
      }
    } else {
      await lookAtList(number);
    }
    trouble('');
  } catch (error) {
    if (number === looks) {
      trouble(sentence(error));
    }
  }
  lookLater(number);
}

/** Unless another look, or the end of all, has come meanwhile. */
function lookLater(number) {
  if (number === looks && dialog.open) {
    timer = setTimeout(() => (document.hidden ? again() : look()), LOOK_MS);
  }
}

/** A page that nobody looks at asks for nothing. */
function again() {
  document.addEventListener('visibilitychange', () => dialog.open && look(), { once: true });
}

async function lookAtList(number) {
  const limit = Math.min(FRESH_MAX, Math.max(PAGE, rows.length));
  const { plans } = await api.plans({ state: filter.value, limit });
  if (number !== looks) {
    return;
  }
  const fresh = new Set(plans.map((plan) => plan.plan_id));
  if (rows.length <= limit) {
    rows = plans;
    hasOlder = plans.length === limit;
  } else {
    const last = rows.findIndex((row) => row.plan_id === plans.at(-1)?.plan_id);
    rows = [...plans, ...rows.slice(last + 1).filter((row) => !fresh.has(row.plan_id))];
  }
  showRows();
}

/** Looks at the newest go on meanwhile: what they bring may have another last row, after which it reads again. */
async function older() {
  const more = byId('plans-more');
  more.disabled = true;
  const state = filter.value;
  try {
    for (let done = false; !done && rows.length && state === filter.value; ) {
      const before = rows.at(-1).plan_id;
      const { plans } = await api.plans({ state, limit: PAGE, before });
      done = state === filter.value && rows.at(-1)?.plan_id === before;
      if (done) {
        const first = rows.length;
        rows = [...rows, ...plans];
        hasOlder = plans.length === PAGE;
        showRows();
        list.children[first]?.querySelector('button').focus();
      }
    }
  } catch (error) {
    trouble(sentence(error));
  }
  more.disabled = false;
}

function showRows() {
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.plan : '';
  list.replaceChildren(...rows.map(rowOf));
  list.querySelector(`[data-plan="${CSS.escape(focused)}"]`)?.focus();
  byId('plans-none').hidden = rows.length > 0;
  byId('plans-more').hidden = !hasOlder;
}

function rowOf(plan) {
  const row = element('li');
  const button = element('button');
  button.type = 'button';
  button.dataset.plan = plan.plan_id;
  const name = element('span', 'name', plan.goal);
  name.dir = 'auto';
  const waits = plan.steps_waiting > 0;
  const state = element('span', 'plan-state', waits ? `${ofPlan(plan.state)}, waiting for a person` : ofPlan(plan.state));
  state.dataset.state = waits ? 'waiting' : plan.state;
  const about = element('span', 'about');
  const when = element('span', '', shortTime(plan.made_at));
  when.title = fullTime(plan.made_at);
  about.append(state, element('span', '', progressOf(plan)), when);
  if (plan.thread_id) {
    about.append(element('span', 'of', nameOf(plan.thread_id)));
  }
  button.append(name, about);
  button.addEventListener('click', () => show(plan));
  row.append(button);
  return row;
}

const nameOf = (threadId) => (isOurs(threadId) ? titleOf(threadId) : `${threadId.split(':', 1)[0]}: ${titleOf(threadId)}`);

function show(plan) {
  opened = plan.plan_id;
  card = new PlanCard({ onWhole: look, onChanged: hurry }, true);
  card.show(plan);
  byId('plans-card').replaceChildren(card.node);
  showThread(plan);
  byId('plans-all').hidden = true;
  byId('plans-one').hidden = false;
  byId('plans-back').focus();
  look();
}

function showThread(plan) {
  const there = byId('plans-thread');
  there.hidden = !plan.thread_id;
  there.onclick = () => {
    dialog.close();
    onThread(plan.thread_id);
  };
}

function showList() {
  opened = '';
  card = null;
  byId('plans-card').replaceChildren();
  byId('plans-one').hidden = true;
  byId('plans-all').hidden = false;
}

function back() {
  const was = opened;
  showList();
  (list.querySelector(`[data-plan="${CSS.escape(was)}"]`) ?? filter).focus();
  look();
}

function trouble(words) {
  byId('plans-trouble').textContent = words;
  byId('plans-trouble').hidden = !words;
}
