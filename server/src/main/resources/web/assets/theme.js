// Runs before the first paint, so that a dark page never flashes white, nor a compact one its larger letters. The choices are
// changed in settings.js.
(() => {
  let theme = null;
  let density = '';
  try {
    theme = localStorage.getItem('holdfast.theme');
    density = JSON.parse(localStorage.getItem('holdfast.settings') ?? '{}').density;
  } catch {
    // Storage may be switched off; the system's choice is a good one.
  }
  if (density === 'compact') {
    document.documentElement.dataset.density = density;
  }
  if (theme === 'light' || theme === 'dark') {
    document.documentElement.dataset.theme = theme;
  }
})();
