/**
 * What we know of an agent besides its wires, as data: how to get it, where it keeps things, what it can do. What nobody
 * looked up is absent; nothing here is guessed.
 */
export interface AgentAbout {
  readonly vendor: string;
  readonly homePage: string;
  /** Arguments that make it print its version; `--version` when absent. */
  readonly versionArgs?: readonly string[];
  /** The oldest version that was tried. */
  readonly minimumVersion?: string;
  readonly install: readonly InstallMethod[];
  readonly auth?: AuthFacts;
  /** Where it keeps what was said. */
  readonly sessions?: FileLocation;
  readonly settings?: SettingsFacts;
  readonly plugins?: PluginFacts;
  readonly models: ModelFacts;
  readonly capabilities: StatedCapabilities;
}

export interface InstallMethod {
  readonly with: "npm" | "brew" | "curl" | "winget" | "pip" | "manual";
  /** A command line, or for `manual` what to do. */
  readonly command: string;
  /** Absent: all of them. */
  readonly platforms?: readonly NodeJS.Platform[];
}

/**
 * A file or folder: below the user's home (`~/…`) or the project (`./…`). Where `variable` is set, it names the folder
 * that `below` is in instead.
 */
export interface FileLocation {
  readonly path: string;
  readonly variable?: string;
  readonly below?: string;
}

export interface AuthFacts {
  readonly methods: readonly AuthMethod[];
  /** Where credentials may be without any sign of them. */
  readonly unseen?: { readonly where: string; readonly platforms?: readonly NodeJS.Platform[] };
}

export interface AuthMethod {
  readonly name: "api_key" | "login" | "token" | "cloud";
  readonly title: string;
  /** That one of these is set is a sign of it. */
  readonly variables?: readonly string[];
  /** That one of these exists is a sign of it. */
  readonly files?: readonly CredentialFile[];
  /** What to do to sign in this way. */
  readonly how: string;
}

export interface CredentialFile extends FileLocation {
  /** The size of the file when nothing is in it. */
  readonly emptySize?: number;
}

export type SettingsScope = "user" | "project" | "local";

export interface SettingsFacts {
  readonly format: "json" | "jsonc" | "toml";
  readonly files: Readonly<Partial<Record<SettingsScope, FileLocation>>>;
  /** The fields we know, by dotted path. There are more. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  readonly mcp?: McpFacts;
}

/** A list is the values there are; `strings` is a list of text. */
export type FieldKind = "string" | "boolean" | "number" | "object" | "strings" | readonly string[];

/** How MCP servers are written in the settings: an object under `field`, by name. */
export interface McpFacts {
  readonly field: string;
  /** Where they are when not in the settings, as JSON. */
  readonly files?: Readonly<Partial<Record<SettingsScope, FileLocation>>>;
  readonly stdio: McpShape;
  readonly "streamable-http"?: RemoteMcpShape;
  readonly sse?: RemoteMcpShape;
}

export interface McpShape {
  /** Fields that tell this transport from others. */
  readonly marks?: Readonly<Record<string, string>>;
}

export interface RemoteMcpShape extends McpShape {
  /** What the fields are called. */
  readonly url: string;
  readonly headers: string;
}

export interface PluginFacts {
  /** What the agent calls them. */
  readonly title: string;
  readonly formats: readonly PluginFormat[];
  readonly installCommand?: string;
  readonly listCommand?: string;
  readonly uninstallCommand?: string;
  readonly updateCommand?: string;
  readonly listing: PluginListing;
}

export type PluginFormat = "npm-package" | "git" | "folder" | "marketplace";

/** Where the agent writes down which plugins it has. */
export type PluginListing =
  /** A JSON file with lists of installations by id; `enabled` is the settings' object of switches by id. */
  | { readonly in: "record"; readonly file: FileLocation; readonly field: string; readonly enabled?: string }
  /** A folder each, with a manifest that has a name and a version. */
  | { readonly in: "folders"; readonly folder: FileLocation; readonly manifest: string }
  /** A list in the settings, of sources. */
  | { readonly in: "list"; readonly field: string }
  /** An object in the settings, by id. */
  | { readonly in: "table"; readonly field: string };

export interface ModelFacts {
  /** The version of the agent these are from: aliases move. */
  readonly asOf?: string;
  readonly defaultModel?: string;
  /** Its own short names, and what they stood for then; undefined where it chooses by itself. */
  readonly aliases?: Readonly<Record<string, string | undefined>>;
  readonly named?: readonly NamedModel[];
  /** Whose models it takes, by the names of the price list; `match` is a regular expression. */
  readonly providers?: readonly { readonly id: string; readonly match?: string }[];
  /** Models are named `provider/model`. */
  readonly withProvider?: true;
}

export interface NamedModel {
  readonly id: string;
  readonly title?: string;
  readonly contextWindow?: number;
  readonly thinkingEffortLevels?: readonly string[];
}

/** What cannot be read off the wires and the other facts. Absent is not known. */
export interface StatedCapabilities {
  readonly canResume?: boolean;
  readonly canFork?: boolean;
  readonly supportsMultiTurn?: boolean;
  readonly sessionPersistence?: "none" | "file" | "sqlite" | "in-memory";
  readonly supportsNativeTools?: boolean;
  readonly supportsMCP?: boolean;
  readonly supportsParallelToolCalls?: boolean;
  /** Whether it asks before it acts, left to itself. */
  readonly requiresToolApproval?: boolean;
  readonly supportsThinking?: boolean;
  readonly thinkingEffortLevels?: readonly string[];
  readonly supportsThinkingBudgetTokens?: boolean;
  readonly supportsJsonMode?: boolean;
  readonly supportsStructuredOutput?: boolean;
  readonly supportsSkills?: boolean;
  readonly skillsFormat?: "file" | "directory" | "npm-package";
  readonly supportsAgentsMd?: boolean;
  readonly supportsSubagentDispatch?: boolean;
  readonly supportsParallelExecution?: boolean;
  readonly maxParallelTasks?: number;
  readonly supportsInteractiveMode?: boolean;
  readonly supportsStdinInjection?: boolean;
  readonly supportsImageInput?: boolean;
  readonly supportsImageOutput?: boolean;
  readonly supportsFileAttachments?: boolean;
  readonly supportedPlatforms?: readonly NodeJS.Platform[];
  readonly requiresGitRepo?: boolean;
  readonly requiresPty?: boolean;
}
