// "What happened to this message?": its whole story in a dialog.
import * as api from './api.js';
import { element } from './dom.js';
import { elapsed, exactTime, fullTime, readable, sentence } from './words.js';

const dialog = document.getElementById('story');
const body = document.getElementById('story-body');
document.getElementById('story-close').addEventListener('click', () => dialog.close());
dialog.addEventListener('click', (event) => {
  if (event.target === dialog) {
    dialog.close();
  }
});

const WHAT = {
  'event.accepted': 'Accepted and stored',
  'command.started': 'Command started',
  'turn.started': 'Turn started',
  'turn.restart': 'Answer restarted',
  'turn.parked': 'Parked: the model is unavailable',
  'turn.joined': 'Answered together with a later message',
  'turn.failed': 'Turn failed',
  'turn.crashed': 'Turn crashed',
  'turn.cut_off': 'Cut off by a stop or crash of the server, resumed later',
  'model.called': 'Model called',
  'reply.planned': 'Reply planned',
  'reply.state': 'Reply state changed',
  'event.finished': 'Finished',
  'tool.started': 'Tool called',
  'tool.ended': 'Tool finished',
  'tool.interrupted': 'Tool cut off by a stop, outcome unknown',
  'approval.asked': 'Approval requested',
  'approval.decided': 'Approval decided',
};

/** Opens the dialog. Resolves when the story is shown or the reason why not. */
export async function showStory(eventId) {
  body.replaceChildren(element('p', '', 'Loading…'));
  if (!dialog.open) {
    dialog.showModal();
  }
  try {
    body.replaceChildren(...nodesOf(await api.story(eventId)));
  } catch (error) {
    body.replaceChildren(element('p', 'error', sentence(error)));
  }
  body.focus();
}

function nodesOf(story) {
  const nodes = [facts(story)];
  nodes.push(element('h3', '', 'Step by step'), steps(story.story));
  for (const call of story.model_calls ?? []) {
    nodes.push(element('h3', '', `Model call at ${exactTime(call.at)}`), callFacts(call));
  }
  for (const reply of story.replies ?? []) {
    nodes.push(element('h3', '', reply.parts > 1 ? `Reply, part ${reply.part} of ${reply.parts}` : 'Reply'), replyFacts(reply));
  }
  return nodes;
}

function facts(story) {
  return list([
    ['State', story.reason ? `${readable(story.state)}: ${story.reason}` : readable(story.state)],
    ['Received', fullTime(story.received_at)],
    ['Attempts', String(story.attempts ?? 0)],
    ['Cost', story.cost_usd ? `$${Number(story.cost_usd).toFixed(4)}` : 'none'],
    ['Event', story.event_id],
    ['Message key', story.dedupe_key],
    ['Conversation', story.thread_id],
  ]);
}

function callFacts(call) {
  return list([
    ['Model', `${call.provider}/${call.model}`.replace(`${call.provider}/${call.provider}/`, `${call.provider}/`)],
    ['Outcome', readable(call.outcome)],
    ['Tokens', `${call.input_tokens ?? 0} in, ${call.output_tokens ?? 0} out`],
    ['Took', call.millis === undefined ? '' : `${call.millis} ms, first text after ${call.first_token_millis ?? '?'} ms`],
  ]);
}

function replyFacts(reply) {
  return list([
    ['State', reply.detail ? `${readable(reply.state)}: ${reply.detail}` : readable(reply.state)],
    ['Attempts', reply.attempts ? String(reply.attempts) : ''],
    ['Lost responses', reply.unknowns ? String(reply.unknowns) : ''],
    ['Id', reply.reply_id],
  ]);
}

function list(pairs) {
  const node = element('dl', 'facts');
  for (const [name, value] of pairs) {
    if (value) {
      node.append(element('dt', '', name), element('dd', '', value));
    }
  }
  return node;
}

function steps(lines) {
  const node = element('ol', 'steps');
  const begin = Date.parse(lines[0].at);
  for (const { at, what, ...details } of lines) {
    const row = element('li', '');
    const millis = Date.parse(at) - begin;
    const after = millis < 10_000 ? `${millis} ms` : elapsed(millis);
    row.append(element('span', '', WHAT[what] ?? readable(what)), ' ', element('span', 'when', `+${after}`));
    const said = Object.entries(details).map(([key, value]) => `${key} ${typeof value === 'object' ? JSON.stringify(value) : value}`);
    if (said.length > 0) {
      row.append(element('span', 'details', said.join('  ')));
    }
    node.append(row);
  }
  return node;
}
