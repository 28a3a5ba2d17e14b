// Nodes of the page, made of tags and plain text.

export function element(tag, className, text = '') {
  const node = document.createElement(tag);
  if (className) {
    node.className = className;
  }
  if (text) {
    node.textContent = text;
  }
  return node;
}
