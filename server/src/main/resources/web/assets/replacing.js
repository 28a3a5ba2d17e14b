// Asking again: a message that takes the place of an earlier one of the reader's own and of all that followed it.
import { element } from './dom.js';
import * as rights from './rights.js';

/** What stands for the messages that were replaced. */
export function foldOf(item, onToggle) {
  const many = item.count === 1 ? 'An earlier message and what followed it were replaced.' : `${item.count} earlier messages and what followed them were replaced.`;
  const button = element('button', '', item.open ? 'Hide' : 'Show');
  button.type = 'button';
  button.setAttribute('aria-expanded', String(item.open));
  button.setAttribute('aria-label', item.open ? 'Hide what was replaced' : 'Show what was replaced');
  button.addEventListener('click', onToggle);
  const line = element('p', 'replaced-fold');
  line.append(many, ' ', button);
  return line;
}

/**
 * Which item can be written anew, and which can be answered anew: {edit: Set, again: item or undefined}.
 *
 * @param items as shown
 * @param owner whose the conversation is, if that is known
 */
export function replaceable(items, turn, owner) {
  const may = rights.may('chat') && !turn && (rights.may('admin') || rights.isMe(owner));
  if (!may || items.some((item) => item.kind === 'user' && !isOver(item))) {
    return { edit: new Set(), again: undefined };
  }
  const mine = items.filter((item) => item.kind === 'user' && !item.replaced && item.eventId && isPlain(item));
  const last = mine.at(-1);
  const newest = items.findLast((item) => item.kind === 'user');
  return { edit: new Set(mine), again: last === newest ? last : undefined };
}

const isOver = (item) => !['kept', 'working', 'asking', 'parked', 'sending', 'retrying'].includes(item.state);
const isPlain = (item) => (item.from === undefined || rights.may('admin') || rights.isMe(item.from)) && !item.text.trimStart().startsWith('/');

const box = document.getElementById('editing');
let edited = null;

/** Lets a message be written anew in the box below. */
export function edit(item) {
  edited = item;
  box.hidden = false;
}

/** What is being written anew, if anything is; from here on nothing is. */
export function takeEdited() {
  const item = edited;
  edited = null;
  box.hidden = true;
  return item;
}
