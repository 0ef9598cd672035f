import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useLocation, useRoute, useSearchParams } from "wouter";
import { places } from "../places.ts";
import { useRecentRun } from "../search/recent-runs.ts";
import { announce } from "../ui/announce.ts";
import { useKeys } from "../ui/keys.ts";
import { applyTheme, toggleTheme } from "../ui/theme.ts";
import { Attention } from "./attention.tsx";
import { ConnectionBanner } from "./banners/connection-banner.tsx";
import { Bar } from "./bar.tsx";
import { LiveRegions } from "./live-regions.tsx";
import { useRouteFocus } from "./route-focus.ts";
import { TabBar } from "./tab-bar.tsx";

const Help = lazy(() => import("./help.tsx"));
const Search = lazy(() => import("../search/search.tsx"));
const NewRun = lazy(() => import("../new-run/new-run.tsx"));

/** The bar on top, the tabs at the bottom of a phone, and the screen between them; and the dialogs that open anywhere. */
export function Frame({ children }: { children: ReactNode }) {
  const [isRun, runParameters] = useRoute("/runs/:id/:view?");
  const [, go] = useLocation();
  const [open, setOpen] = useState<"help" | "search">();
  const [parameters, setParameters] = useSearchParams();
  const isNewRun = parameters.has("new");
  const close = () => setOpen(undefined);
  const newRun = (opens: boolean) =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      if (opens) after.set("new", "");
      else after.delete("new");
      return after;
    });

  useEffect(applyTheme, []);
  useRouteFocus();
  useRecentRun(isRun ? runParameters.id : undefined);
  useKeys({
    "mod+k": () => setOpen("search"),
    // A screen with a filter takes the key itself.
    "/": () => (document.querySelector("[data-filter]") ? false : setOpen("search")),
    n: () => newRun(true),
    "?": () => setOpen("help"),
    "shift+t": () => announce(`The theme is ${toggleTheme()}.`),
    ...Object.fromEntries(places.map(({ key, href }) => [`g ${key}`, () => go(href)])),
  });

  return (
    <div className={isRun ? "detail" : ""}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Bar onSearch={() => setOpen("search")} onNewRun={() => newRun(true)} />
      <ConnectionBanner />
      {children}
      <TabBar onSearch={() => setOpen("search")} onHelp={() => setOpen("help")} />
      <Attention />
      <LiveRegions />
      <Suspense>
        {open === "help" && <Help onClose={close} />}
        {open === "search" && <Search onClose={close} onHelp={() => setOpen("help")} onNewRun={() => newRun(true)} />}
        {isNewRun && <NewRun onClose={() => newRun(false)} />}
      </Suspense>
    </div>
  );
}
