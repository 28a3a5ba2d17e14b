// The card of a tool call that waits for approval: what exactly would run, who is asked, how long it can still be answered.
import { dateOf, elapsed, fullTime } from './words.js';

let cards = 0;

/**
 * A card as nodes, to be put into its place.
 *
 * @param approval as the server describes it
 * @param decide called with true or false; resolves with an empty text or with what went wrong
 */
export function cardOf(approval, decide) {
  const title = node('h3', '', 'Allow this tool call?');
  title.id = `approval-title-${++cards}`;
  const exactly = node('pre', 'arguments', approval.arguments);
  exactly.tabIndex = 0; // It may scroll, and then must be reachable without a mouse.
  exactly.setAttribute('role', 'region');
  exactly.setAttribute('aria-label', 'Exact arguments');
  const trouble = node('p', 'error');
  trouble.setAttribute('role', 'alert');
  trouble.hidden = true;
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
  const buttons = node('div', 'buttons');
  buttons.append(approve, deny, timeLeft(approval.expires_at));
  const card = node('div', 'approval-card');
  card.setAttribute('role', 'group');
  card.setAttribute('aria-labelledby', title.id);
  card.append(title, facts(approval), exactly, trouble, buttons);
  return card;
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
