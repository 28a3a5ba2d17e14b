// What conversations are called: as the server says, else by their first words until it has said so.
const known = new Map();
const TITLE_CHARS_MAX = 80;

/** Views of threads as the server lists them. */
export function learn(views) {
  for (const view of views) {
    if (view.title) {
      known.set(view.thread_id, view.title);
    }
  }
}

/** A message was said here: it names a conversation that has no name yet. */
export function suggest(threadId, text) {
  const line = text.replace(/\s+/g, ' ').trim().slice(0, TITLE_CHARS_MAX);
  if (line && !known.has(threadId)) {
    known.set(threadId, line);
  }
}

export const isNamed = (threadId) => known.has(threadId);

/** Its title, else its own id on its platform. */
export const titleOf = (threadId) => known.get(threadId) ?? (threadId.split(':').slice(2).join(':') || threadId);

/** Forgets one that was deleted. */
export const forget = (threadId) => known.delete(threadId);
