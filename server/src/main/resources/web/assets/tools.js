// What tools did for an answer, folded away under it: read from the event's story when it is opened.
import * as api from './api.js';
import * as rights from './rights.js';
import { elapsed, sentence } from './words.js';

/** How many tool calls stand open at once would be too many for a page. */
const SHOWN_MAX = 100;

/** A fold that fills itself when it is opened. */
export function foldOf(eventId, count) {
  const fold = document.createElement('details');
  fold.className = 'tools';
  const body = node('div', 'tools-body');
  fold.append(node('summary', '', count === 1 ? '1 tool call' : `${count} tool calls`), body);
  fold.addEventListener('toggle', () => fold.open && fill(body, eventId));
  return fold;
}

async function fill(body, eventId) {
  if (!body.hasChildNodes()) {
    body.append(node('p', '', 'Loading…'));
  }
  try {
    const calls = callsOf((await api.story(eventId)).story ?? []);
    body.replaceChildren(...calls.slice(0, SHOWN_MAX).map((call) => callNode(call, () => fill(body, eventId))));
  } catch (error) {
    body.replaceChildren(node('p', 'error', sentence(error)));
  }
}

/** Starts and ends of the story as one entry for each call, in the order of their starts. */
function callsOf(lines) {
  const calls = new Map();
  for (const line of lines) {
    if (line.what === 'tool.started') {
      calls.set(line.execution ?? line.call_id, { ...line });
    } else if (line.what === 'tool.ended') {
      const key = line.execution ?? line.call_id;
      calls.set(key, { ...calls.get(key), ...line, ended: true });
    }
  }
  return [...calls.values()];
}

function callNode(call, again) {
  const made = node('section', 'tool-call');
  const state = !call.ended ? 'no result' : call.error ? 'failed' : 'done';
  const head = node('p', 'tool-head');
  head.append(node('strong', '', call.label || call.tool), ' ', node('span', `tool-state ${state}`, state));
  if (call.ended) {
    head.append(' ', node('span', 'when', call.millis < 10_000 ? `${call.millis} ms` : elapsed(call.millis)));
  }
  made.append(head, block('Arguments', call.arguments));
  if (call.result) {
    made.append(block('Result', call.result));
  }
  if (call.rolled_back) {
    made.append(node('p', 'tool-undone', 'Changes undone.'));
  } else if (call.changed && rights.may('admin')) {
    made.append(undo(call.execution, again));
  }
  return made;
}

function block(title, text) {
  const made = node('pre', '', text ?? '');
  made.tabIndex = 0;
  made.setAttribute('role', 'region');
  made.setAttribute('aria-label', title);
  return made;
}

/** Asks once more before it acts, and again before it overwrites what somebody else wrote since. */
function undo(execution, again) {
  const made = node('p', 'tool-undo');
  const button = node('button', '', 'Undo changes');
  button.type = 'button';
  const said = node('span', '');
  said.setAttribute('role', 'status');
  made.append(button, ' ', said);
  let sure = false;
  let force = false;
  button.addEventListener('click', async () => {
    if (!sure) {
      sure = true;
      button.textContent = 'Really undo?';
      return;
    }
    button.disabled = true;
    try {
      await api.rollBack(execution, force);
      await again();
    } catch (error) {
      button.disabled = false;
      said.textContent = sentence(error);
      force = error.status === 409;
      button.textContent = force ? 'Undo anyway' : 'Try again';
    }
  });
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
