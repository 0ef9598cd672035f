// Draws the icons of the installed page from public/icon.svg:
//
//   node packages/web/testing/icons.ts
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { launchChromium } from "./chromium.ts";

const folder = path.resolve(import.meta.dirname, "../public");
const svg = readFileSync(path.join(folder, "icon.svg"), "utf8");
/** Systems cut maskable icons and those of iOS into a shape of their own, so they have no corners of ours. */
const square = svg.replace(/rx="\d+"/, "");

const icons = [
  { name: "icon-192.png", size: 192, drawing: svg },
  { name: "icon-512.png", size: 512, drawing: svg },
  { name: "icon-maskable-512.png", size: 512, drawing: square },
  { name: "apple-touch-icon.png", size: 180, drawing: square },
];

const browser = await launchChromium();
for (const { name, size, drawing } of icons) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(
    `<body style="margin:0">${drawing.replace("<svg", `<svg width="${size}" height="${size}" style="display:block"`)}`,
  );
  writeFileSync(path.join(folder, name), await page.screenshot({ omitBackground: true }));
  await page.close();
}
await browser.close();
