import { routes } from "./routes.ts";
import type { IconName } from "./ui/icon.tsx";

/** The places of the page, in the order of the bar. `key` follows G; `inTabs` stands in the tab bar of a phone. */
export const places: readonly {
  readonly name: string;
  readonly href: string;
  readonly pattern: RegExp;
  readonly key: string;
  readonly icon: IconName;
  readonly inTabs?: true;
  readonly countsWaiting?: true;
}[] = [
  { name: "Runs", href: routes.runs(), pattern: /^\/(runs\/.*)?$/, key: "r", icon: "list", inTabs: true },
  {
    name: "Approvals",
    href: routes.approvals(),
    pattern: /^\/approvals/,
    key: "a",
    icon: "bell",
    inTabs: true,
    countsWaiting: true,
  },
  { name: "Compare", href: routes.compare(), pattern: /^\/compare/, key: "c", icon: "compare" },
  { name: "Usage", href: routes.usage(), pattern: /^\/usage/, key: "u", icon: "bars", inTabs: true },
  { name: "Events", href: routes.events(), pattern: /^\/events/, key: "e", icon: "terminal" },
];
