// What the reader's token allows: buttons that would only be refused are not shown.
import * as api from './api.js';

const SCOPES = ['read', 'chat', 'admin'];
let scope = '';
let name = '';
let levels = [];

/** Asks the server who reads. Rejects with an ApiError. */
export async function learn() {
  const status = await api.status();
  scope = status.caller?.scope ?? '';
  name = status.caller?.name ?? '';
  levels = status.choice ?? [];
}

/** Asks only if it is not known yet, or not any more. */
export const known = () => (scope ? Promise.resolve() : learn());

/** Who reads; empty while it is not known. */
export const person = () => name;

/** Whether the reader, or somebody for whom the token spoke, is called so. */
export const isMe = (person) => name !== '' && (person === name || String(person ?? '').startsWith(`${name}/`));

/** The levels of models that may be chosen for a message; none where the server does not offer it. */
export const choice = () => levels;

/** Whether it is known who reads. */
export const areKnown = () => scope !== '';

/** Whether the token covers `needed`: 'read', 'chat' or 'admin'. */
export const may = (needed) => SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
