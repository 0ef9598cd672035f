import type { AnchorHTMLAttributes } from "react";

/** A link to another place in the file. What is only on the page of a server is text. */
export function Link({ href, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  return href.startsWith("#") ? <a href={href} {...rest} /> : <span {...rest} />;
}
