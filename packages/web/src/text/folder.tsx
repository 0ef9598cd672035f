import { useSyncExternalStore } from "react";
import { home } from "../live/home.ts";
import { fromHome } from "./from-home.ts";
import { visibleLine } from "./visible.ts";
import { VisibleText } from "./visible-text.tsx";

/** The home folder on the server's machine, once it is known. */
export const useHome = (): string | undefined => useSyncExternalStore(home.subscribe, home.read, home.read);

/** A folder as a fact: `~/project`, with the whole path as its title. */
export function Folder({ path, className = "mono" }: { path: string; className?: string | undefined }) {
  const shown = fromHome(path, useHome());
  return (
    <span className={className} title={visibleLine(path)}>
      <VisibleText text={shown} />
    </span>
  );
}
