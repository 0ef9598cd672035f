import { useSyncExternalStore } from "react";
import { createCell, type Store } from "./store.ts";

/** The time in epoch milliseconds, renewed every `everyMs`. One timer serves everybody; it stops while the page is hidden. */
export function useNow(everyMs: number = 1000): number {
  const ticker = tickerOf(everyMs);
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}

const tickers = new Map<number, Store<number>>();

function tickerOf(everyMs: number): Store<number> {
  const known = tickers.get(everyMs);
  if (known) return known;
  const ticker = createTicker(everyMs);
  tickers.set(everyMs, ticker);
  return ticker;
}

function createTicker(everyMs: number): Store<number> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const tick = () => cell.set(Date.now());
  const run = () => {
    clearInterval(timer);
    timer = undefined;
    if (document.hidden) return;
    tick();
    timer = setInterval(tick, everyMs);
  };
  const cell = createCell(Date.now(), () => {
    run();
    document.addEventListener("visibilitychange", run);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", run);
    };
  });
  return cell;
}
