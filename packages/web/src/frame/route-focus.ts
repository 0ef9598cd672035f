import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { places } from "../places.ts";
import { announce } from "../ui/announce.ts";

/**
 * After a change of the screen, screen readers and the Tab key begin at its content, as they do after a page was loaded.
 * Views of one run are one screen with links at its top, so they keep the focus on the link.
 */
export function useRouteFocus(): void {
  const [path] = useLocation();
  const before = useRef(path);
  useEffect(() => {
    const from = before.current;
    before.current = path;
    if (screenOf(from) === screenOf(path)) return;
    scrollTo(0, 0);
    const focused = document.activeElement;
    // Whoever typed or pressed something in the bar or in a dialog goes on from there.
    if (focused?.closest("dialog, header.bar, .tabbar")) {
      announce(nameOf(path));
      return;
    }
    const main = document.getElementById("main");
    if (!main || main.contains(focused)) return;
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
  }, [path]);
}

/** The part of a path that names the screen. */
export const screenOf = (path: string): string =>
  path
    .split("/")
    .slice(0, path.startsWith("/runs/") ? 3 : 2)
    .join("/");

/** What a screen is called, before it is loaded and has a title of its own. */
const nameOf = (path: string): string =>
  path.startsWith("/runs/") ? "Run" : (places.find(({ pattern }) => pattern.test(path))?.name ?? "No such page");
