// Voice input, where the browser has it: what is said is written into the message box, to be read before it is sent.

const ERRORS = {
  'not-allowed': 'The browser does not allow this page to use the microphone.',
  'service-not-allowed': 'The browser does not allow this page to use speech recognition.',
  'audio-capture': 'No microphone was found.',
  network: 'The browser’s speech recognition cannot be reached.',
};

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;
const button = document.getElementById('dictate');
let running = null;

/** @param ears {onTrouble(text)} */
export function listen({ onTrouble }) {
  if (!Recognition) {
    return;
  }
  const box = document.getElementById('say');
  button.hidden = false;
  button.addEventListener('click', () => (running ? running.stop() : start(box, onTrouble)));
  addEventListener('hashchange', stop);
}

/** Ends it; what is recognized later is dropped. */
export function stop() {
  const recognition = running;
  show(null);
  recognition?.abort();
}

function start(box, onTrouble) {
  const recognition = new Recognition();
  recognition.lang = navigator.language;
  recognition.continuous = true;
  recognition.interimResults = true;
  const before = box.value && !/\s$/.test(box.value) ? `${box.value} ` : box.value;
  recognition.addEventListener('result', (event) => {
    if (running === recognition) {
      box.value = before + [...event.results].map((result) => result[0].transcript).join('');
      box.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
  recognition.addEventListener('error', (event) => ERRORS[event.error] && onTrouble(ERRORS[event.error]));
  recognition.addEventListener('end', () => {
    if (running === recognition) {
      show(null);
      box.focus();
    }
  });
  recognition.start();
  show(recognition);
}

function show(recognition) {
  running = recognition;
  button.setAttribute('aria-pressed', String(Boolean(recognition)));
}
