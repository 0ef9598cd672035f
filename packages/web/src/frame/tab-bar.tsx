import { useLocation } from "wouter";
import { useWaiting } from "../live/use-waiting.ts";
import { places } from "../places.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { toggleTheme } from "../ui/theme.ts";
import { Place, WaitingCount } from "./bar.tsx";
import styles from "./frame.module.css";

/** The tabs at the bottom of a phone. What has no tab of its own is under "More". */
export function TabBar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const { requests } = useWaiting();
  const [, go] = useLocation();
  const others = places.filter(({ inTabs }) => !inTabs);
  return (
    <nav className="tabbar" aria-label="Tabs">
      {places
        .filter(({ inTabs }) => inTabs)
        .map(({ href, name, pattern, icon, countsWaiting }) => (
          <Place key={href} href={href} pattern={pattern}>
            <Icon name={icon} />
            {name}
            {countsWaiting && <WaitingCount count={requests} />}
          </Place>
        ))}
      <Menu
        label="More"
        className={styles.more ?? ""}
        items={[
          { label: "Search", icon: "search", onSelect: onSearch },
          ...others.map(({ name, href, icon }) => ({ label: name, icon, onSelect: () => go(href) })),
          { label: "Light or dark", icon: "thought", onSelect: () => void toggleTheme() },
          { label: "Settings and keys", icon: "question", onSelect: onHelp },
        ]}
      >
        <Icon name="more" />
        More
      </Menu>
    </nav>
  );
}
