// Runs before the first paint, so that a dark page never flashes white. The choice is changed in main.js.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem('holdfast.theme');
  } catch {
    // Storage may be switched off; the system's choice is a good one.
  }
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
})();
