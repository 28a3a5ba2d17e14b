// Large libraries of others: scripts that put one name on the window, fetched when something first needs them.

const coming = new Map();

/** `src`: as seen from here. Resolves with what the script put under `name`, or with undefined when it cannot be had. */
export function library(src, name) {
  if (!coming.has(src)) {
    coming.set(src, fetchScript(src, name));
  }
  return coming.get(src);
}

async function fetchScript(src, name) {
  const script = document.createElement('script');
  script.src = new URL(src, import.meta.url);
  const fetched = await new Promise((resolve) => {
    script.addEventListener('load', () => resolve(true));
    script.addEventListener('error', () => resolve(false));
    document.head.append(script);
  });
  if (!fetched) {
    script.remove();
    coming.delete(src); // the server may be back by the next time
    return undefined;
  }
  return window[name];
}
