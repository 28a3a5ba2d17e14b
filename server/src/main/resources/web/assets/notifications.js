// Says on the reader's desktop that something was said, while the page is out of sight. Only where the reader asked for
// it in the settings: the browser is asked for its permission by that click, and never otherwise.
import { choose, setting } from './settings.js';
import { titleOf } from './titles.js';
import { kindOf } from './transcript.js';

const CHARS_MAX = 160;
const ICON = new URL('./icon-192.png', import.meta.url).href;

const canNotify = 'Notification' in window;
const choices = document.getElementById('settings-notify');
const hint = document.getElementById('notify-hint');

/** Offers the choice, where the browser has notifications. */
export function listen() {
  choices.hidden = !canNotify;
  tick();
  choices.addEventListener('change', async (event) => {
    const wanted = event.target.value;
    const isAllowed = wanted === 'off' || (await Notification.requestPermission()) === 'granted';
    choose('notify', isAllowed ? wanted : 'off');
    hint.hidden = isAllowed;
    tick();
  });
}

function tick() {
  choices.querySelectorAll('input').forEach((input) => (input.checked = input.value === setting('notify')));
}

/** What the stream of the open conversation tells. */
export function onEvent(kind, data, threadId) {
  if (!document.hidden || !canNotify || setting('notify') === 'off' || Notification.permission !== 'granted') {
    return;
  }
  if (kind === 'reply.planned' && (data.part ?? 1) <= 1) {
    const said = kindOf(data.reply_id ?? '');
    if (said !== 'question') {
      show(said === 'answer' || said === 'command' ? 'There is an answer.' : 'There is a notice.', data.text ?? '', threadId);
    }
  } else if (kind === 'approval.asked') {
    show('A tool call is waiting for approval.', '', threadId);
  }
}

/** The text and the title of the conversation are for those who want them on a screen that others may see. */
function show(what, text, threadId) {
  const isOpen = setting('notify') === 'text';
  const words = isOpen && text ? shorten(text) : what;
  try {
    const notification = new Notification(isOpen ? titleOf(threadId) : 'Holdfast', { body: words, icon: ICON, tag: threadId });
    notification.addEventListener('click', () => {
      window.focus();
      notification.close();
    });
  } catch {
    // Some browsers on phones have the name, but let no page show one.
  }
}

function shorten(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > CHARS_MAX ? `${line.slice(0, CHARS_MAX)}…` : line;
}
