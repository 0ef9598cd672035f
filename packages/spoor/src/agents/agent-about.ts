/**
 * Static facts about an agent besides its dialects: how to install it, where it stores its files, what it can do. A
 * field is absent if nobody has checked it; nothing here is guessed.
 */
export interface AgentAbout {
  readonly vendor: string;
  readonly homePage: string;
  /** Arguments that make the agent print its version. Default: `--version`. */
  readonly versionArgs?: readonly string[];
  /** The oldest version that was tested. */
  readonly minimumVersion?: string;
  readonly install: readonly InstallMethod[];
  readonly auth?: AuthFacts;
  /** Where the agent stores its sessions. */
  readonly sessions?: FileLocation;
  readonly settings?: SettingsFacts;
  readonly plugins?: PluginFacts;
  readonly models: ModelFacts;
  readonly capabilities: StatedCapabilities;
}

/** One way to install an agent. */
export interface InstallMethod {
  readonly with: "npm" | "brew" | "curl" | "winget" | "pip" | "manual";
  /** A command line; for `manual`, instructions in a sentence. */
  readonly command: string;
  /** Default: all platforms. */
  readonly platforms?: readonly NodeJS.Platform[];
}

/**
 * A file or folder below the user's home (`~/…`) or below the project (`./…`). If the environment variable `variable`
 * is set, the place is `below` inside the folder that the variable names.
 */
export interface FileLocation {
  readonly path: string;
  readonly variable?: string;
  readonly below?: string;
}

/** How users log in to an agent. */
export interface AuthFacts {
  readonly methods: readonly AuthMethod[];
  /** A place where credentials may be stored that Spoor cannot check. */
  readonly unseen?: { readonly where: string; readonly platforms?: readonly NodeJS.Platform[] };
}

/** One way to log in, and the signs of its credentials. */
export interface AuthMethod {
  readonly name: "api_key" | "login" | "token" | "cloud";
  readonly title: string;
  /** The method counts as signed in if one of these variables is set. */
  readonly variables?: readonly string[];
  /** The method counts as signed in if one of these files exists. */
  readonly files?: readonly CredentialFile[];
  /** Instructions for signing in with this method. */
  readonly how: string;
}

/** A file that holds credentials of an agent. */
export interface CredentialFile extends FileLocation {
  /** The size of the file while it holds no credentials. */
  readonly emptySize?: number;
}

/** Where a settings file applies: to the user, to the project, or to this checkout only. */
export type SettingsScope = "user" | "project" | "local";

/** The settings files of an agent, and their known fields. */
export interface SettingsFacts {
  readonly format: "json" | "jsonc" | "toml";
  readonly files: Readonly<Partial<Record<SettingsScope, FileLocation>>>;
  /** The known fields, by dotted path. The agent may have more. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  readonly mcp?: McpFacts;
}

/** A list names the permitted values; `strings` is a list of strings. */
export type FieldKind = "string" | "boolean" | "number" | "object" | "strings" | readonly string[];

/** How the settings hold MCP servers: an object under `field`, by server name. */
export interface McpFacts {
  readonly field: string;
  /** JSON files that hold the servers if they are not in the settings. */
  readonly files?: Readonly<Partial<Record<SettingsScope, FileLocation>>>;
  readonly stdio: McpShape;
  readonly "streamable-http"?: RemoteMcpShape;
  readonly sse?: RemoteMcpShape;
}

/** How an agent's settings describe an MCP server. */
export interface McpShape {
  /** Fields that distinguish this transport from the others. */
  readonly marks?: Readonly<Record<string, string>>;
}

/** How an agent's settings describe an MCP server that is reached by URL. */
export interface RemoteMcpShape extends McpShape {
  /** The names of the fields that hold the address and the headers. */
  readonly url: string;
  readonly headers: string;
}

/** How the plugins of an agent are installed and listed. */
export interface PluginFacts {
  /** The agent's own word for plugins. */
  readonly title: string;
  readonly formats: readonly PluginFormat[];
  readonly installCommand?: string;
  readonly listCommand?: string;
  readonly uninstallCommand?: string;
  readonly updateCommand?: string;
  readonly listing: PluginListing;
}

/** The forms in which plugins are distributed. */
export type PluginFormat = "npm-package" | "git" | "folder" | "marketplace";

/** Where the agent lists its installed plugins. */
export type PluginListing =
  /**
   * A JSON file with lists of installations by id. `enabled` names the object in the settings that switches them on and
   * off by id.
   */
  | { readonly in: "record"; readonly file: FileLocation; readonly field: string; readonly enabled?: string }
  /** One folder per plugin, with a manifest that holds a name and a version. */
  | { readonly in: "folders"; readonly folder: FileLocation; readonly manifest: string }
  /** A list of sources in the settings. */
  | { readonly in: "list"; readonly field: string }
  /** An object in the settings, by plugin id. */
  | { readonly in: "table"; readonly field: string };

/** The models of an agent: its default, its aliases, and the providers it uses. */
export interface ModelFacts {
  /** The agent's version at which these models were read; aliases change between versions. */
  readonly asOf?: string;
  readonly defaultModel?: string;
  /**
   * The agent's short names and the models they stood for in that version; undefined if the agent chooses the model
   * itself.
   */
  readonly aliases?: Readonly<Record<string, string | undefined>>;
  readonly named?: readonly NamedModel[];
  /**
   * The providers whose models the agent accepts, as named in the price list. `match` is a regular expression for model
   * names.
   */
  readonly providers?: readonly { readonly id: string; readonly match?: string }[];
  /** Model names have the form `provider/model`. */
  readonly withProvider?: true;
}

/** A model that an agent offers under its own name. */
export interface NamedModel {
  readonly id: string;
  readonly title?: string;
  readonly contextWindow?: number;
  readonly thinkingEffortLevels?: readonly string[];
}

/** Capabilities that cannot be derived from the dialects or from the other facts. Absent means unknown. */
export interface StatedCapabilities {
  readonly canResume?: boolean;
  readonly canFork?: boolean;
  readonly supportsMultiTurn?: boolean;
  readonly sessionPersistence?: "none" | "file" | "sqlite" | "in-memory";
  readonly supportsNativeTools?: boolean;
  readonly supportsMCP?: boolean;
  readonly supportsParallelToolCalls?: boolean;
  /** Whether the agent asks for permission by default. */
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
