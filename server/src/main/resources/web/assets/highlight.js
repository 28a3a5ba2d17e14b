// Colours in code, where it says its language: a guess costs much and is often wrong.
import DOMPurify from './lib/dompurify.js';
import { library } from './libraries.js';

/** Longer code stays plain, so that showing an answer never takes long. */
const CHARS_MAX = 20_000;

const purifier = DOMPurify(window);
const SPANS = { ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true };
const OURS = /^hljs-[a-z_-]+$|^(function|class|inherited|language)_{1,2}$/;

/** Colours what stands in `node`, a code element; at once when the library is here, else as soon as it has come. */
export function highlight(node, language) {
  if (!language || node.textContent.length > CHARS_MAX) {
    return;
  }
  if (window.hljs) {
    paint(window.hljs, node, language);
  } else {
    library('./lib/highlight.js', 'hljs').then((hljs) => hljs && paint(hljs, node, language));
  }
}

function paint(hljs, node, language) {
  if (!hljs.getLanguage(language)) {
    return;
  }
  const code = node.textContent;
  const painted = purifier.sanitize(hljs.highlight(code, { language, ignoreIllegals: true }).value, SPANS);
  if (painted.textContent !== code) {
    return; // Colours are worth no changed sign.
  }
  painted.querySelectorAll('span').forEach((span) => {
    span.className = [...span.classList].filter((name) => OURS.test(name)).join(' ');
  });
  node.replaceChildren(painted);
}
