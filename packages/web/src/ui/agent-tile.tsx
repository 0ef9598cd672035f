/** The letter of an agent on its colour. Its name stands beside it, so screen readers skip it. */
export function AgentTile({ agent }: { agent: string }) {
  const { letter, colour } = tileOf(agent);
  return (
    <span className="tile" style={{ background: `var(--${colour})` }} aria-hidden="true">
      {letter}
    </span>
  );
}

/** The letter and the series colour of an agent. Charts use the same colour. */
export function tileOf(agent: string): { readonly letter: string; readonly colour: string } {
  const known = Object.hasOwn(tiles, agent) ? tiles[agent] : undefined;
  if (known) return known;
  // The first character may be one that cannot be seen, or that turns what follows.
  const [letter = "?"] = /[\p{L}\p{N}]/u.exec(agent) ?? [];
  return { letter: letter.toUpperCase(), colour: `s-${1 + (hashOf(agent) % 5)}` };
}

const tiles: Record<string, { readonly letter: string; readonly colour: string }> = {
  claude: { letter: "C", colour: "s-1" },
  codex: { letter: "X", colour: "s-2" },
  opencode: { letter: "O", colour: "s-3" },
  gemini: { letter: "G", colour: "s-4" },
  pi: { letter: "π", colour: "s-5" },
  copilot: { letter: "P", colour: "ink-2" },
  spoor: { letter: "S", colour: "ink-3" },
  loop: { letter: "L", colour: "ink-3" },
  shell: { letter: "$", colour: "ink-3" },
};

function hashOf(text: string): number {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hash;
}
