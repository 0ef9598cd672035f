import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import { useWaiting } from "../live/use-waiting.ts";
import { places } from "../places.ts";
import { routes } from "../routes.ts";
import { Icon } from "../ui/icon.tsx";
import { keyLabel } from "../ui/keys.ts";
import { ConnectionLight } from "./connection-light.tsx";
import { Mark } from "./mark.tsx";

/** The bar on top: the places of the page, the connection, search, and a new run. */
export function Bar({ onSearch, onNewRun }: { onSearch: () => void; onNewRun: () => void }) {
  const { requests } = useWaiting();
  return (
    <header className="bar">
      <Link className="mark" href={routes.runs()} aria-label="Spoor, all runs">
        <Mark />
        <span>Spoor</span>
      </Link>
      <nav className="nav" aria-label="Main">
        {places.map(({ href, name, pattern, countsWaiting }) => (
          <Place key={href} href={href} pattern={pattern}>
            {name}
            {countsWaiting && <WaitingCount count={requests} />}
          </Place>
        ))}
      </nav>
      <span className="push" />
      <ConnectionLight />
      <button type="button" className="jump" title="Search or jump to" aria-haspopup="dialog" onClick={onSearch}>
        <Icon name="search" small />
        <span>Search or jump to</span>
        <kbd>{keyLabel("mod+k")}</kbd>
      </button>
      <button type="button" className="btn primary" aria-haspopup="dialog" onClick={onNewRun}>
        <Icon name="plus" small />
        New run <kbd>N</kbd>
      </button>
    </header>
  );
}

/** How much waits for a person; nothing if nothing does. */
export function WaitingCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="count needs">
      {count}
      <span className="heard"> waiting</span>
    </span>
  );
}

export function Place({ href, pattern, children }: { href: string; pattern: RegExp; children: ReactNode }) {
  const [isHere] = useRoute(pattern);
  return (
    <Link href={href} aria-current={isHere ? "page" : undefined}>
      {children}
    </Link>
  );
}
