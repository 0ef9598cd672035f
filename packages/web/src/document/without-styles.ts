/**
 * The policy of a file allows no style attributes. The few that the components of the page have become attributes that the
 * style sheet knows: a share of a bar, and the colour of a tile. Others are not needed here.
 *
 * React writes a quotation mark of a text as an entity, so what this finds is always an attribute.
 */
export const withoutStyles = (html: string): string =>
  html.replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
    const grow = /^flex-grow:([\d.e-]+)$/.exec(style)?.[1] ?? percentOf(style);
    if (grow !== undefined) return ` data-share="${Math.max(1, Math.min(100, Math.round(Number(grow) * 100)))}"`;
    const colour = /^background:var\(--([\w-]+)\)$/.exec(style)?.[1];
    return colour === undefined ? "" : ` data-colour="${colour}"`;
  });

function percentOf(style: string): string | undefined {
  const percent = /^width:([\d.]+)%$/.exec(style)?.[1];
  return percent === undefined ? undefined : String(Number(percent) / 100);
}

/** The rules for those attributes. */
export const shareRules = (): string =>
  Array.from({ length: 100 }, (_, index) => index + 1)
    .map((share) => `[data-share="${share}"]{flex-grow:${share}!important;width:${share}%}`)
    .join("");
