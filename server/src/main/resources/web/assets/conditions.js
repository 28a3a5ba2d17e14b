// The bar below the title: what is not well on the server, in the server's own words; gone when all is.
import * as api from './api.js';
import { fullTime } from './words.js';

const bar = document.getElementById('conditions');
const heading = bar.querySelector('summary');
const list = bar.querySelector('ul');
let asked = 0;

/** Asks the server. What cannot be asked stays as it is: the stream's own light says that the server is away. */
export async function refresh() {
  const number = ++asked;
  try {
    const { conditions } = await api.conditions();
    if (number === asked) {
      show(conditions);
    }
  } catch {
    // The next change or connection asks again.
  }
}

function show(conditions) {
  bar.hidden = conditions.length === 0;
  bar.dataset.status = conditions.some((condition) => condition.status === 'failed') ? 'failed' : 'degraded';
  const [first] = conditions.toSorted((a, b) => (b.status === 'failed') - (a.status === 'failed'));
  const words = first ? first.message + (conditions.length > 1 ? ` (and ${conditions.length - 1} more)` : '') : '';
  if (heading.textContent !== words) {
    heading.textContent = words; // only a change is read aloud
  }
  list.replaceChildren(...conditions.map(row));
}

function row(condition) {
  const item = document.createElement('li');
  const next = condition.next_attempt_at ? ` Next attempt: ${fullTime(condition.next_attempt_at)}.` : '';
  item.append(
    node('strong', `${condition.type}: ${condition.status}`),
    node('p', condition.message),
    node('p', `Since ${fullTime(condition.since)}. ${condition.exit_rule}${next}`),
  );
  return item;
}

function node(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
