/** The languages in which the server streams a run with `?as=`. A translator is loaded when somebody asks for its language. */
export const streamLanguages = [
  {
    name: "ag-ui",
    open: async () => (await import("./ag-ui/ag-ui.ts")).agUiTranslator(),
  },
  {
    name: "ai-sdk",
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    endMark: "[DONE]",
    open: async () => (await import("./ai-sdk/ai-sdk.ts")).aiSdkTranslator(),
  },
  {
    name: "acolyte",
    open: async () => (await import("./acolyte/acolyte.ts")).acolyteTranslator(),
  },
] as const;
