// The card of a tool call that a person was asked about: what exactly would run, who is asked, how long it can still be
// answered; then how it was answered, and what came of it.
import * as rights from './rights.js';
import { dateOf, elapsed, fullTime, shortTime } from './words.js';

let cards = 0;

/**
 * A card as nodes, to be put into its place.
 *
 * @param approval as the server describes it
 * @param decide called with true or false; resolves with an empty text or with what went wrong
 */
export function cardOf(approval, decide) {
  const card = node('div', 'approval-card');
  const waits = approval.state === 'waiting';
  const title = node('h3', '', waits ? 'Allow this tool call?' : outcomeOf(approval));
  title.id = `approval-title-${++cards}`;
  card.dataset.state = approval.state;
  card.setAttribute('role', 'group');
  card.setAttribute('aria-labelledby', title.id);
  card.append(title);
  if (waits) {
    card.append(facts(approval), exactly(approval), ...answering(approval, decide));
  } else {
    const fold = node('details', 'asked');
    fold.append(node('summary', '', approval.label || approval.tool), facts(approval), exactly(approval));
    card.append(fold, cameOf(approval));
  }
  return card;
}

function exactly(approval) {
  const made = node('pre', 'arguments', approval.arguments);
  made.tabIndex = 0; // It may scroll, and then must be reachable without a mouse.
  made.setAttribute('role', 'region');
  made.setAttribute('aria-label', 'Exact arguments');
  return made;
}

function answering(approval, decide) {
  const trouble = node('p', 'error');
  trouble.setAttribute('role', 'alert');
  trouble.hidden = true;
  const buttons = node('div', 'buttons');
  if (rights.areKnown() && !rights.may('chat')) {
    buttons.append(node('span', '', 'You cannot answer this: your token only reads.'), timeLeft(approval.expires_at));
    return [buttons];
  }
  if (rights.areKnown() && !rights.may('admin') && approval.person !== rights.person()) {
    buttons.append(node('span', '', `Only ${approval.person} or an operator can answer this.`), timeLeft(approval.expires_at));
    return [buttons];
  }
  const approve = button('Approve', 'primary');
  const deny = button('Deny', 'deny');
  const answer = async (yes) => {
    approve.disabled = true;
    deny.disabled = true;
    const wrong = await decide(yes);
    trouble.hidden = !wrong;
    trouble.textContent = wrong;
    approve.disabled = false;
    deny.disabled = false;
  };
  approve.addEventListener('click', () => answer(true));
  deny.addEventListener('click', () => answer(false));
  buttons.append(approve, deny, timeLeft(approval.expires_at));
  return [trouble, buttons];
}

function outcomeOf(approval) {
  switch (approval.state) {
    case 'denied':
      return 'Denied';
    case 'expired':
      return isWithdrawn(approval) ? 'No longer needed' : 'Expired';
    default:
      return 'Approved';
  }
}

const isWithdrawn = (approval) => Boolean(approval.decided_at) && Date.parse(approval.decided_at) < Date.parse(approval.expires_at);

const RESULTS = {
  not_run: 'It was not run.',
  running: 'It is running.',
  done: 'It ran.',
  failed: 'It ran and failed.',
  unknown: 'It was cut off: check what it did.',
};

/** By whom, when, and what became of the call. */
function cameOf(approval) {
  const line = node('p', 'came');
  const who = String(approval.decided_by ?? '').replace(/^(person|token):/, '');
  const why = approval.state === 'expired' ? (isWithdrawn(approval) ? 'The message ended before it was answered' : 'Nobody answered in time') : `By ${who}`;
  line.append(`${why}, `);
  const at = node('time', '', shortTime(approval.decided_at));
  at.dateTime = dateOf(approval.decided_at).toISOString();
  at.title = fullTime(approval.decided_at);
  line.append(at, `. ${RESULTS[approval.result] ?? ''}`);
  return line;
}

/** The seconds that are left, on every card of the page. To be called again and again. */
export function showTimeLeft() {
  for (const place of document.querySelectorAll('.time-left')) {
    const left = Number(place.dataset.until) - Date.now();
    place.textContent = left > 0 ? `${elapsed(left)} left` : 'expired';
  }
}

function facts(approval) {
  const list = node('dl', 'facts');
  for (const [name, value] of [
    ['Tool', approval.tool],
    ['Asked', approval.person],
  ]) {
    list.append(node('dt', '', name), node('dd', '', value || 'unknown'));
  }
  return list;
}

/** The seconds are for the eye only: read aloud, they would never end. The moment of the end is in the title. */
function timeLeft(at) {
  const place = node('span', 'time-left');
  const until = dateOf(at);
  place.dataset.until = String(until.getTime());
  place.title = `Until ${fullTime(at)}`;
  place.setAttribute('aria-hidden', 'true');
  return place;
}

function button(label, className) {
  const made = node('button', className, label);
  made.type = 'button';
  return made;
}

function node(tag, className, text = '') {
  const made = document.createElement(tag);
  if (className) {
    made.className = className;
  }
  made.textContent = text;
  return made;
}
