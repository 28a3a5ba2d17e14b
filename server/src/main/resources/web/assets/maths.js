// Formulas in TeX: found by marked, set by KaTeX as MathML, which needs no style of its own, and cleaned once more.
import DOMPurify from './lib/dompurify.js';
import { library } from './libraries.js';

const CHARS_MAX = 4000;

/** All formulas of one text together. What is left after that shows its signs. */
const SET_MILLIS_MAX = 400;

const KATEX = {
  output: 'mathml',
  throwOnError: true,
  trust: false,
  strict: 'ignore',
  maxSize: 20,
  maxExpand: 500,
};

const purifier = DOMPurify(window);
const CLEAN = {
  ALLOWED_TAGS: [
    'math', 'mrow', 'mi', 'mn', 'mo', 'ms', 'mtext', 'mspace', 'mfrac', 'msqrt', 'mroot', 'mstyle', 'mpadded', 'mphantom', 'menclose',
    'msub', 'msup', 'msubsup', 'munder', 'mover', 'munderover', 'mtable', 'mtr', 'mtd', '#text',
  ],
  ALLOWED_ATTR: [
    'display', 'displaystyle', 'scriptlevel', 'mathvariant', 'mathcolor', 'mathbackground', 'mathsize', 'stretchy', 'fence', 'separator',
    'form', 'symmetric', 'largeop', 'movablelimits', 'accent', 'accentunder', 'lspace', 'rspace', 'minsize', 'maxsize', 'linethickness',
    'width', 'height', 'depth', 'voffset', 'notation', 'columnalign', 'columnspacing', 'columnlines', 'rowspacing', 'rowlines',
  ],
  FORBID_CONTENTS: ['annotation', 'annotation-xml', 'script', 'style'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

const BLOCK = /^ {0,3}(?:\$\$((?:\\[^]|[^\\$]){1,4000}?)\$\$|\\\[([^]{1,4000}?)\\\])[ \t]*(?:\n+|$)/;
const DISPLAYED = /^(?:\$\$((?:\\.|[^\\$\n`]){1,1000}?)\$\$|\\\[([^]{1,1000}?)\\\])/;

/** A sum of money is no formula: no space within the signs, no digit behind them. */
const INLINE = /^\$(?![\s$])((?:\\.|[^\\$\n`]){1,1000}?)(?<!\s)\$(?![\d$])/;
const BRACKETED = /^\\\(([^]{1,1000}?)\\\)/;

/**
 * Extensions for marked. They leave `<span data-math="inline|display">` with the TeX in it.
 *
 * @param isCheap says whether there is still time to look
 * @param escape makes text HTML
 */
export function mathExtensions(isCheap, escape) {
  const renderer = ({ tex, display }) => `<span data-math="${display ? 'display' : 'inline'}">${escape(tex)}</span>`;
  return [
    {
      name: 'mathBlock',
      level: 'block',
      start: (source) => /^ {0,3}(?:\$\$|\\\[)/m.exec(source)?.index,
      tokenizer(source) {
        const match = isCheap() ? BLOCK.exec(source) : null;
        return match ? { type: 'mathBlock', raw: match[0], tex: (match[1] ?? match[2]).trim(), display: true } : undefined;
      },
      renderer: (token) => `<p>${renderer(token)}</p>`,
    },
    {
      name: 'mathInline',
      level: 'inline',
      start(source) {
        const at = source.search(/\$|\\[([]/);
        return at < 0 ? undefined : at;
      },
      tokenizer(source) {
        if (!/^(?:\$|\\[([])/.test(source) || !isCheap()) {
          return undefined;
        }
        const displayed = DISPLAYED.exec(source);
        const match = displayed ?? INLINE.exec(source) ?? BRACKETED.exec(source);
        return match ? { type: 'mathInline', raw: match[0], tex: (match[1] ?? match[2]).trim(), display: Boolean(displayed) } : undefined;
      },
      renderer,
    },
  ];
}

/** Sets the formulas below `root`; at once when the library is here, else as soon as it has come. */
export function setMaths(root) {
  const nodes = [...root.querySelectorAll('[data-math]')];
  nodes.forEach((node) => {
    node.className = `math ${node.dataset.math}`;
    node.removeAttribute('data-math');
    node.classList.add('raw');
  });
  if (nodes.length === 0) {
    return;
  }
  if (window.katex) {
    setAll(window.katex, nodes);
  } else {
    library('./lib/katex.js', 'katex').then((katex) => katex && setAll(katex, nodes));
  }
}

function setAll(katex, nodes) {
  const until = performance.now() + SET_MILLIS_MAX;
  for (const node of nodes) {
    const tex = node.textContent;
    if (performance.now() > until || tex.length > CHARS_MAX) {
      continue;
    }
    try {
      const html = katex.renderToString(tex, { ...KATEX, displayMode: node.classList.contains('display') });
      const formula = purifier.sanitize(html, CLEAN);
      if (!formula.querySelector('math')) {
        continue;
      }
      node.title = tex;
      node.classList.remove('raw');
      node.replaceChildren(formula);
      if (node.classList.contains('display')) {
        node.tabIndex = 0; // a wide one scrolls by itself
      }
    } catch {
      // TeX that KaTeX does not know, or nested too deep, is still text.
    }
  }
}
