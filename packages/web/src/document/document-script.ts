/**
 * The one script of the file. Everything can be read without it: it opens and closes all cards, opens them for printing, and
 * opens the card that a link leads to.
 */
export const documentScript = `(() => {
  const cards = () => document.querySelectorAll("details");
  const tools = document.querySelector(".tools");
  if (tools) tools.hidden = false;
  addEventListener("click", ({ target }) => {
    const all = target instanceof Element ? target.closest("[data-all]") : null;
    if (all) for (const card of cards()) card.open = all.dataset.all === "open";
  });
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...cards()].filter((card) => !card.open);
    for (const card of closed) card.open = true;
  });
  addEventListener("afterprint", () => {
    for (const card of closed) card.open = false;
  });
  const follow = () => {
    const card = document.getElementById(location.hash.slice(1));
    if (card instanceof HTMLDetailsElement) card.open = true;
  };
  addEventListener("hashchange", follow);
  follow();
})();`;
