// Chooses light or dark before anything is painted. A classic script: modules run too late for that.
(() => {
  const KEY = "pincite.theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function kept() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be forbidden; then the system decides each time
    }
  }

  function show() {
    const chosen = kept();
    document.documentElement.dataset.theme = chosen || (dark.matches ? "dark" : "light");
    const button = document.getElementById("switch-theme");
    const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    button?.setAttribute("aria-label", `Switch to the ${other} theme`);
    button?.setAttribute("title", `Switch to the ${other} theme`);
  }

  show();
  dark.addEventListener("change", show);
  addEventListener("DOMContentLoaded", () => {
    show();
    document.getElementById("switch-theme").addEventListener("click", () => {
      const other = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try {
        localStorage.setItem(KEY, other);
      } catch {
        document.documentElement.dataset.theme = other;
        return;
      }
      show();
    });
  });
})();
