/** Shows in the icon of the tab whether something waits. The policy allows icons of this server only, so both are files. */
export function setTabIcon(isWaiting: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel~="icon"]') ?? newLink();
  usual ??= link.getAttribute("href") ?? "/icon.svg";
  const href = isWaiting ? "/icon-waiting.svg" : usual;
  if (link.getAttribute("href") !== href) link.setAttribute("href", href);
}

let usual: string | undefined;

function newLink(): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "icon";
  link.href = "/icon.svg";
  document.head.append(link);
  return link;
}
