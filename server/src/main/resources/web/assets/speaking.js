// Who may write in a conversation. Whoever may not sees one line that says why in place of the box.
import * as rights from './rights.js';
import { isOurs } from './threads.js';

/** Why nothing can be written here; empty when it can. Until the server has said who reads, it can: what is written waits. */
export function whyNot(threadId) {
  if (!isOurs(threadId)) {
    return `This conversation takes place on ${threadId.split(':')[0]}. You can read it here and continue it there.`;
  }
  return !rights.areKnown() || rights.may('chat')
    ? ''
    : 'You can read here but not write: you are logged in with a token that only reads. Log in with one that may chat to take part.';
}
