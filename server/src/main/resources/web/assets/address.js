/** Which conversation the page's address names; empty when it names none, or is not well formed. */
export function threadOfAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}
