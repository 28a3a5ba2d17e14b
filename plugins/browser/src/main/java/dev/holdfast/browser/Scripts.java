package dev.holdfast.browser;

import dev.holdfast.kit.JsonText;

/** What is run in pages. Each returns a text. */
final class Scripts {
  /** Of long ones the first 2,000 characters. */
  static final String ADDRESS = "location.href.slice(0, 2000)";

  /** With the address. A page may have an element that is found as {@code document.title}. */
  static final String TITLE = "('' + document.title).slice(0, 300) + '\\n' + " + ADDRESS;

  /**
   * The page as text, one line for what stands together; what can be used has a name such as {@code
   * [button e3]}, and is kept for later calls. Of long pages the first 1,500 lines and 100,000
   * characters.
   */
  static final String SNAPSHOT =
      """
      (() => {
        const refs = [], lines = [];
        let size = 0;
        const add = line => { lines.push(line); size += line.length; };
        const isFull = () => lines.length >= 1500 || size >= 100000;
        const usable = 'a[href],button,input,select,textarea,summary,[role=button],[role=link],'
            + '[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=option],'
            + '[contenteditable=""],[contenteditable=true],[onclick]';
        const short = text => (text || '').replace(/\\s+/g, ' ').trim().slice(0, 300);
        const named = e => short(e.getAttribute('aria-label') || (e.labels && e.labels[0]
            && e.labels[0].innerText) || e.getAttribute('placeholder') || e.getAttribute('alt')
            || (e.tagName === 'INPUT' && /^(submit|button|reset)$/.test(e.type) ? e.value : '')
            || (e.tagName === 'SELECT' ? '' : e.innerText) || e.getAttribute('title')
            || e.getAttribute('name'));
        const kind = e => short(e.getAttribute('role')) || ({A: 'link', INPUT: e.type, SELECT: 'select',
            TEXTAREA: 'text', SUMMARY: 'button', BUTTON: 'button'})[e.tagName] || 'element';
        const value = e => {
          if (e.type === 'checkbox' || e.type === 'radio') return e.checked ? ' checked' : '';
          if (e.type === 'password') return e.value ? ' filled in' : '';
          if (e.tagName === 'SELECT') {
            return ' = ' + short(e.selectedOptions[0] && e.selectedOptions[0].text) + ' of '
                + [...e.options].slice(0, 30).map(o => short(o.text)).join(' | ');
          }
          if (e.tagName === 'INPUT' || e.tagName === 'TEXTAREA') {
            return e.value && !/^(submit|button|reset)$/.test(e.type) ? ' = ' + short(e.value) : '';
          }
          return '';
        };
        const walk = node => {
          if (isFull()) return;
          if (node.nodeType === 3) {
            const text = short(node.data);
            if (text) add(text);
            return;
          }
          if (node.nodeType !== 1
              || ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD'].includes(node.tagName)) return;
          const style = getComputedStyle(node);
          if (style.display === 'none' || style.visibility === 'hidden') return;
          if (node.matches(usable) && node.type !== 'hidden') {
            refs.push(node);
            add('[' + kind(node) + ' e' + refs.length + '] ' + named(node) + value(node));
            return;
          }
          if (/^H[1-6]$/.test(node.tagName) && !node.querySelector(usable)) {
            add('#'.repeat(+node.tagName[1]) + ' ' + short(node.innerText));
            return;
          }
          if (node.tagName === 'IMG' && node.alt) add('(picture: ' + short(node.alt) + ')');
          for (const child of (node.shadowRoot || node).childNodes) walk(child);
        };
        if (document.documentElement) walk(document.documentElement);
        globalThis.holdfastRefs = refs;
        if (isFull()) add('(the rest of the page is left out)');
        return %s + '\\n\\n' + lines.join('\\n');
      })()
      """
          .formatted(TITLE);

  private static final String FIND =
      """
      const e = (globalThis.holdfastRefs || [])[%d - 1];
      if (!e || !e.isConnected) return '';
      """;

  private Scripts() {}

  /** Where its middle is, as JSON; empty when it is gone. A link stays on this page. */
  static String place(int ref) {
    return "(() => {"
        + FIND.formatted(ref)
        + """
          const link = e.closest('[target]');
          if (link) link.removeAttribute('target');
          e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
          const r = e.getBoundingClientRect();
          return JSON.stringify({x: r.x + r.width / 2, y: r.y + r.height / 2});
        })()
        """;
  }

  /**
   * Readies it for typing: {@code typed} when that is to follow, {@code chosen} when it is done,
   * {@code no option}, {@code no field}, or empty when it is gone.
   */
  static String focus(int ref, String text) {
    return "(() => {"
        + FIND.formatted(ref)
        + "const text = "
        + JsonText.write(text)
        + ";"
        + """
          if (e.tagName === 'SELECT') {
            const option = [...e.options].find(o => o.text.trim() === text || o.value === text);
            if (!option) return 'no option';
            e.value = option.value;
            e.dispatchEvent(new Event('input', {bubbles: true}));
            e.dispatchEvent(new Event('change', {bubbles: true}));
            return 'chosen';
          }
          e.focus();
          if (e.isContentEditable) {
            getSelection().selectAllChildren(e);
          } else if (e.select && e.type !== 'file') {
            e.select();
          } else {
            return 'no field';
          }
          return 'typed';
        })()
        """;
  }

  static String contains(String text) {
    return "document.body && document.body.innerText.includes("
        + JsonText.write(text)
        + ") ? 'yes' : 'no'";
  }
}
