/** Placeholder until the page tools exist. */
export async function markdownOf({ html }: { html: string; url: string }): Promise<string> {
  return html;
}
