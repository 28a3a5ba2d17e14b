// What answers and conversations took: models, tokens and dollars.
import * as api from './api.js';
import { element } from './dom.js';
import { elapsed, sentence } from './words.js';

const count = new Intl.NumberFormat();

const dollars = (usd) => (usd === 0 ? 'no cost known' : usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`);
const tokens = (input, output) => `${count.format(input)} tokens in, ${count.format(output)} out`;
const calls = (number) => (number === 1 ? '1 model call' : `${count.format(number)} model calls`);

/** A conversation's total in one line; empty when no model was called. */
export const totalOf = (usage) =>
  usage?.calls > 0 ? `${calls(usage.calls)}, ${tokens(usage.input_tokens, usage.output_tokens)}, ${dollars(usage.cost_usd)}` : '';

/** The model of an answer; pressed, it says what the answer took. */
export function costButton(item) {
  const button = element('button', 'cost', item.model || 'cost');
  button.type = 'button';
  button.title = 'What did this answer take?';
  button.setAttribute('aria-label', `${item.model ? `${item.model}: ` : ''}what did this answer take?`);
  const said = element('span', 'cost-said');
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    if (said.textContent) {
      said.textContent = '';
      return;
    }
    try {
      said.textContent = sumOf((await api.story(item.eventId)).model_calls ?? []);
    } catch (error) {
      said.textContent = error.status === 404 ? 'That is not known any more.' : sentence(error);
    }
  });
  return [button, said];
}

function sumOf(made) {
  const sum = (field) => made.reduce((total, call) => total + (call[field] ?? 0), 0);
  const input = sum('input_tokens') + sum('cached_tokens');
  return made.length === 0
    ? 'No model was called.'
    : `${calls(made.length)}, ${tokens(input, sum('output_tokens'))}, ${dollars(sum('cost_usd'))}, ${elapsed(sum('millis'))}`;
}
