import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** The server whose data the page shows while it is developed. `npm run dev` sets it. */
const target = process.env.SPOOR_URL ?? "http://127.0.0.1:8765";

export default defineConfig({
  plugins: [react()],
  resolve: { conditions: ["spoor-source", ...defaultClientConditions] },
  build: {
    target: "es2023",
    // The content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      "^/(v1|login|healthz|docs|openapi)": {
        target,
        ws: true,
        changeOrigin: true,
        configure(proxy) {
          // The server accepts calls of its own page only, and for now this is it. Calls of other pages stay what they are.
          const adopt = (
            outgoing: { setHeader(name: string, value: string): void },
            { headers }: { headers: { origin?: string | undefined; host?: string | undefined } },
          ) => {
            if (headers.origin === `http://${headers.host}`) outgoing.setHeader("origin", target);
          };
          proxy.on("proxyReq", adopt);
          proxy.on("proxyReqWs", adopt);
        },
      },
    },
  },
});
