/** Where a link of an agent leads: the address, and the host if the text of the link does not show it. */
interface LinkTarget {
  readonly href: string;
  readonly host?: string;
}

/** Only `http` and `https` are links. Everything else stays text. */
export function linkTarget(href: string, shown: string): LinkTarget | undefined {
  if (!/^https?:\/\//i.test(href)) return undefined;
  const url = URL.parse(href);
  if (!url || !/^https?:$/.test(url.protocol) || url.host === "") return undefined;
  const said = URL.parse(shown.includes("://") ? shown : `http://${shown}`);
  const isShown = shown.includes(url.host) && (said === null || said.host === url.host) && url.username === "";
  return { href: url.href, ...(!isShown && { host: url.host }) };
}
