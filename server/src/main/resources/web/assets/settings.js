// What a reader prefers in this browser, and the dialog to say so. Each choice holds at once.
import * as store from './store.js';
import { fullTime, shortTime, useDateLanguage } from './words.js';

const DEFAULTS = { density: 'comfortable', send: 'enter', dates: '', notify: 'off' };

/** Languages of dates, besides the browser's own. */
const LANGUAGES = [
  'en-GB', 'en-US', 'ar', 'cs', 'da', 'de', 'el', 'es', 'fi', 'fr', 'he', 'hi', 'hu', 'it', 'ja', 'ko', 'nl', 'no', 'pl', 'pt-BR', 'pt-PT',
  'ro', 'sv', 'tr', 'uk', 'vi', 'zh-CN', 'zh-TW',
];

const byId = (id) => document.getElementById(id);
const dialog = byId('settings');
const coarsePointer = matchMedia('(pointer: coarse)');

let chosen = { ...DEFAULTS, ...store.settings() };

/** One of the choices. */
export const setting = (name) => chosen[name] ?? DEFAULTS[name];

/** Keeps a choice. */
export function choose(name, value) {
  chosen = { ...chosen, [name]: value };
  store.keepSettings(chosen);
}

/** Whether this key sends the message. On a touch keyboard Enter is the only way to a new line. */
export function sends(event) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) {
    return false;
  }
  return event.ctrlKey || event.metaKey || (setting('send') === 'enter' && !coarsePointer.matches);
}

/** @param ears {onDates()}: the list of conversations is to be written anew */
export function listen({ onDates }) {
  byId('open-settings').addEventListener('click', open);
  byId('settings-close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  byId('settings-form').addEventListener('submit', (event) => event.preventDefault());
  document.addEventListener('keydown', (event) => {
    const isShortcut = event.key === ',' && (event.ctrlKey || event.metaKey);
    if (isShortcut && document.body.dataset.view === 'chat' && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      open();
    }
  });
  onChoice('theme', (value) => store.keepTheme(value), showTheme);
  onChoice('density', (value) => choose('density', value), showDensity);
  onChoice('send', (value) => choose('send', value), showKeys);
  byId('dates').append(...LANGUAGES.map(optionOf));
  byId('dates').addEventListener('change', () => {
    choose('dates', byId('dates').value);
    showDates();
    rewriteTimes();
    onDates();
  });
  showTheme();
  showDensity();
  showKeys();
  showDates();
}

function onChoice(name, keep, show) {
  byId(`settings-${name}`).addEventListener('change', (event) => {
    keep(event.target.value);
    show();
  });
}

function open() {
  tick('theme', store.theme());
  tick('density', setting('density'));
  tick('send', setting('send'));
  byId('dates').value = setting('dates');
  dialog.showModal();
}

function tick(name, value) {
  byId(`settings-${name}`)
    .querySelectorAll('input')
    .forEach((input) => (input.checked = input.value === value));
}

function showTheme() {
  const theme = store.theme();
  if (theme === 'system') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
}

function showDensity() {
  document.documentElement.dataset.density = setting('density');
}

function showKeys() {
  byId('send-keys').hidden = setting('send') !== 'enter';
  byId('send-keys-ctrl').hidden = setting('send') === 'enter';
}

function showDates() {
  useDateLanguage(setting('dates'));
  byId('dates-example').textContent = `Now: ${fullTime(Date.now())}`;
}

function rewriteTimes() {
  for (const time of document.querySelectorAll('.msg > .meta time')) {
    time.textContent = shortTime(time.dateTime);
    time.title = fullTime(time.dateTime);
  }
}

function optionOf(language) {
  const option = document.createElement('option');
  option.value = language;
  option.lang = language;
  option.textContent = new Intl.DisplayNames([language], { type: 'language' }).of(language);
  return option;
}
