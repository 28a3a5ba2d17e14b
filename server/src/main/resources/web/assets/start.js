// Runs as soon as it is there: asks for what is seen first, lets the browser paint the frame, then runs the rest.
import { threadOfAddress } from './address.js';
import { askEarly, paths } from './api.js';

const PAINT_MAX_MS = 1000;

const threadId = threadOfAddress();

// The server says in the page whether the reader is logged in. A login address may make it somebody else.
if (document.body.dataset.view === 'chat' && !new URLSearchParams(location.search).has('login')) {
  askEarly(paths.status);
  if (threadId) {
    askEarly(paths.log(threadId));
  }
  askEarly(paths.threads({ archived: false }));
}

/** Resolves after the first paint; at once in a tab that nobody sees. */
const painted = new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, document.hidden ? 0 : PAINT_MAX_MS);
});

painted.then(() => import('./main.js'));
