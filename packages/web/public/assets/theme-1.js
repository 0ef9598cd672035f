// Runs before the first paint, so that a chosen theme does not flash. The policy of the page allows no inline script.
try {
  const theme = localStorage.getItem("spoor.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system decides.
}
