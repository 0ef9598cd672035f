import type { Cli } from "./cli.ts";
import { claudeEnv, codexEnv, codexFiles, opencodeSettings, piEnv, piFiles } from "./cli-settings.ts";

/** The programs that conformance drives. */
export const CLIS: readonly Cli[] = [
  {
    name: "claude",
    // Not the `claude` in .bin, which works only after an install script.
    program: "@anthropic-ai/claude-code-{platform}/claude",
    version: ["--version"],
    oneShot: ["-p", "{prompt}", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"],
    env: claudeEnv,
  },
  {
    name: "codex",
    program: "@openai/codex-{platform}/vendor/{triple}/bin/codex",
    version: ["--version"],
    oneShot: ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "{prompt}"],
    env: codexEnv,
    files: codexFiles,
  },
  {
    name: "copilot",
    program: "@github/copilot-{platform}/copilot",
    version: ["--version"],
    oneShot: ["-p", "{prompt}", "--output-format", "json", "--allow-all-tools"],
    env: {
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: "{url}/v1",
      COPILOT_PROVIDER_API_KEY: "dummy-key",
      // The model determines which tools exist: this one has view, edit and create.
      COPILOT_MODEL: "claude-sonnet-4.5",
    },
  },
  {
    name: "gemini",
    mcpFile: ".gemini/settings.json",
    program: "@google/gemini-cli/bundle/gemini.js",
    version: ["--version"],
    oneShot: ["--output-format", "stream-json", "--yolo", "-p", "{prompt}"],
    env: {
      GEMINI_API_KEY: "dummy-key",
      GOOGLE_GEMINI_BASE_URL: "{url}",
      // By default it first asks a model which model to use.
      GEMINI_MODEL: "gemini-2.5-pro",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_TELEMETRY_ENABLED: "false",
      // Otherwise it starts itself a second time, and signals to the first process are lost.
      GEMINI_CLI_NO_RELAUNCH: "true",
    },
    files: {
      ".gemini/settings.json": {
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
        ide: { enabled: false },
        // Otherwise it downloads the program.
        tools: { useRipgrep: false },
      },
    },
  },
  {
    name: "openclaw",
    program: "openclaw/openclaw.mjs",
    version: ["--version"],
    oneShot: ["agent", "exec", "--json", "--", "{prompt}"],
    env: {
      DO_NOT_TRACK: "1",
      OPENCLAW_SKIP_CHANNELS: "1",
      OPENCLAW_NO_AUTO_UPDATE: "1",
      // It compiles thousands of modules, and with a private folder it would do so at every start.
      NODE_COMPILE_CACHE: "{home}/../spoor-openclaw-compiled",
      // It also does not need to start itself again.
      OPENCLAW_PACKAGED_COMPILE_CACHE_RESPAWNED: "1",
      OPENCLAW_NO_RESPAWN: "1",
    },
    // Over ACP it is a bridge to its gateway.
    beside: { args: ["gateway", "run"], ready: "[gateway] ready" },
    files: {
      ".openclaw/openclaw.json": {
        gateway: { mode: "local", port: "{port}", bind: "loopback", auth: { mode: "token", token: "dummy-token" } },
        update: { checkOnStart: false },
        discovery: { mdns: { mode: "off" } },
        plugins: { enabled: false },
        agents: {
          defaults: {
            workspace: "{home}/project",
            skipBootstrap: true,
            model: { primary: "scripted/scripted-model" },
          },
        },
        models: {
          mode: "replace",
          providers: {
            scripted: {
              baseUrl: "{url}/v1",
              api: "openai-completions",
              apiKey: "dummy-key",
              models: [
                {
                  ...{ id: "scripted-model", name: "Scripted", reasoning: true, input: ["text"] },
                  ...{ cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1 } },
                  ...{ contextWindow: 128000, maxTokens: 8192 },
                },
              ],
            },
          },
        },
        // Otherwise its tools are hidden behind one that searches for them.
        tools: { profile: "coding", toolSearch: false, exec: { mode: "ask" } },
      },
    },
  },
  {
    name: "opencode",
    package: "opencode-ai",
    program: "opencode-{platform}/bin/opencode",
    version: ["--version"],
    oneShot: ["run", "--format", "json", "--thinking", "--auto", "{prompt}"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      // Otherwise it downloads the catalog of models, and plugins.
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
    },
    files: {
      ".config/opencode/opencode.json": opencodeSettings,
    },
  },
  {
    name: "omp",
    program: "@oh-my-pi/pi-coding-agent/dist/cli.js",
    runtime: "bun/bin/bun.exe",
    version: ["--version"],
    oneShot: ["--mode", "json", "--no-title", "{prompt}"],
    // Without the last setting, it stops a model that repeats itself.
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_NO_THINKING_LOOP_GUARD: "1" },
    files: {
      ".omp/agent/config.yml": [
        "modelRoles: { default: scripted/scripted-model }",
        // By default it edits by line and by a tag that only a read returns.
        "edit: { mode: replace }",
        // Otherwise it reminds the model of open tasks.
        "todo: { reminders: false }",
      ],
      ".omp/agent/models.yml": [
        "providers:",
        "  scripted:",
        '    baseUrl: "{url}/v1"',
        "    api: openai-completions",
        "    apiKey: dummy-key",
        "    compat: { supportsDeveloperRole: false, supportsReasoningEffort: false }",
        "    models:",
        "      - { id: scripted-model, reasoning: true, input: [text], contextWindow: 128000, maxTokens: 8192 }",
      ],
    },
  },
  {
    name: "pi",
    program: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
    version: ["--version"],
    oneShot: ["--mode", "json", "{prompt}"],
    env: piEnv,
    files: piFiles,
  },
  {
    name: "qwen",
    program: "@qwen-code/qwen-code/cli-entry.js",
    version: ["--version"],
    oneShot: ["--output-format", "stream-json", "--include-partial-messages", "--yolo", "-p", "{prompt}"],
    env: {
      OPENAI_API_KEY: "dummy-key",
      OPENAI_BASE_URL: "{url}/v1",
      OPENAI_MODEL: "scripted-model",
      QWEN_TELEMETRY_ENABLED: "false",
      QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
    },
    files: {
      ".qwen/settings.json": {
        general: { enableAutoUpdate: false },
        // Otherwise it asks the model, with tools, what to remember.
        memory: { enableManagedAutoMemory: false },
        privacy: { usageStatisticsEnabled: false },
        security: { auth: { selectedType: "openai" } },
        // Without a terminal it sometimes loses the output of a quick command. The tool for a plan is off by default.
        tools: { useRipgrep: false, shell: { enableInteractiveShell: true }, todoWrite: { enabled: true } },
      },
    },
  },
  {
    name: "claude-agent-acp",
    program: "@agentclientprotocol/claude-agent-acp/dist/index.js",
    version: ["--version"],
    // Otherwise it asks the model what the user may want to say next.
    env: { ...claudeEnv, CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false" },
  },
  {
    name: "codex-acp",
    program: "@agentclientprotocol/codex-acp/dist/index.js",
    version: ["--version"],
    env: codexEnv,
    files: codexFiles,
  },
  {
    name: "kilo",
    package: "@kilocode/cli",
    program: "@kilocode/cli-{platform}/bin/kilo",
    version: ["--version"],
    env: {
      KILO_DISABLE_AUTOUPDATE: "1",
      KILO_DISABLE_MODELS_FETCH: "1",
      KILO_DISABLE_DEFAULT_PLUGINS: "1",
      KILO_DISABLE_LSP_DOWNLOAD: "1",
      KILO_DISABLE_SHARE: "1",
      KILO_DISABLE_SESSION_INGEST: "1",
      KILO_TELEMETRY_LEVEL: "off",
    },
    files: { ".config/kilo/kilo.json": opencodeSettings },
  },
  {
    name: "kimi",
    package: "@moonshot-ai/kimi-code",
    program: "@moonshot-ai/kimi-code/dist/main.mjs",
    version: ["--version"],
    env: {
      KIMI_CODE_NO_AUTO_UPDATE: "1",
      KIMI_MODEL_NAME: "scripted-model",
      KIMI_MODEL_API_KEY: "dummy-key",
      KIMI_MODEL_PROVIDER_TYPE: "openai",
      KIMI_MODEL_BASE_URL: "{url}/v1",
    },
  },
  {
    name: "pi-acp",
    program: "pi-acp/dist/index.js",
    version: ["--version"],
    // It starts pi by name, with the Node that runs this script.
    env: { ...piEnv, PI_ACP_PI_COMMAND: "{modules}/.bin/pi" },
    files: piFiles,
  },
  {
    name: "auggie",
    program: "@augmentcode/auggie/augment.mjs",
    version: ["--version"],
    needsLogin: true,
    env: { AUGMENT_DISABLE_AUTO_UPDATE: "1" },
  },
  {
    name: "cline",
    program: "@cline/cli-{platform}/bin/cline",
    package: "cline",
    version: ["--version"],
    needsLogin: true,
    env: {},
  },
  {
    name: "droid",
    program: "@factory/cli-{platform}/bin/droid",
    package: "droid",
    version: ["--version"],
    needsLogin: true,
    env: { FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
  },
  {
    name: "grok",
    // An install script unpacks it there.
    program: "@xai-official/grok/bin/grok-native",
    package: "@xai-official/grok",
    version: ["--version"],
    needsLogin: true,
    env: {},
  },
  {
    name: "qoder",
    program: "@qoder-ai/qodercli/bundle/qodercli.js",
    version: ["--version"],
    needsLogin: true,
    env: {},
  },
];
