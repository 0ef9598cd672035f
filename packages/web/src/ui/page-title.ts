import { useEffect } from "react";

/** The name of the screen in the title of the tab. The frame puts before it how many runs wait for a person. */
export function usePageTitle(name: string | undefined): void {
  useEffect(() => {
    screen = name;
    write();
    return () => {
      screen = undefined;
    };
  }, [name]);
}

/** For the frame: how many requests wait for a person. */
export function setWaiting(count: number): void {
  waiting = count;
  write();
}

/** `▲ 2 · Spoor`; `Runs · Spoor`; `▲ 2 · Fix add() · Spoor`. */
export const titleOf = (name: string | undefined, count: number): string =>
  [count > 0 && `▲ ${count}`, name && !(count > 0 && name === "Runs") && name, "Spoor"].filter(Boolean).join(" · ");

let screen: string | undefined;
let waiting = 0;

function write(): void {
  const title = titleOf(screen, waiting);
  if (document.title !== title) document.title = title;
}
