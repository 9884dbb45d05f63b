import type { ModelConfig } from '../../catalog/model-config.ts'
import type { RequestContext } from '../core/ports.ts'
import type { ChatMessage } from '../core/request.ts'
import type { HostedTool, NamedToolServer, ToolApproval, ToolHints } from './hosted-tool.ts'

export type { HostedTool, NamedToolServer, ToolApproval, ToolHints } from './hosted-tool.ts'

/** A part of what a tool answers. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** Base64 bytes of a picture or a sound. */
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mediaType: string }
  /** Everything else, as the JSON text of its server. */
  | { readonly type: 'other'; readonly json: string }

/** The answer of a tool. */
export interface ToolResult {
  readonly content: readonly ToolContent[]
  /** Whether the tool says that it failed. The model reads the content as the reason. */
  readonly isError: boolean
}

/** A tool that this server runs for a request. */
export interface ServerTool {
  /** The name for the model, unique in its set: 1..64 characters of `[A-Za-z0-9_-]`. */
  readonly name: string
  /** The name on the server of the tool. */
  readonly tool: string
  /** The label of that server. */
  readonly server: string
  readonly description?: string | undefined
  /** JSON Schema of the arguments, an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly hints: ToolHints
  /** A tool with `never` is in no set. */
  readonly approval: Exclude<ToolApproval, 'never'>
  /**
   * Runs the tool. An abort is passed on to its server.
   *
   * @param args the arguments, checked to be an object
   * @throws {SvcError} `upstream_failed`, `timeout`, `too_large`, `cancelled`, `invalid_request` for wrong arguments
   */
  call(
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly onProgress?: ((message: string) => void) | undefined },
  ): Promise<ToolResult>
}

/** The tools of some servers, for one request. */
export interface ToolSet {
  readonly tools: readonly ServerTool[]
  /** Servers that gave no tools, with the reason as a sentence for the client. */
  readonly failures: readonly { readonly server: string; readonly message: string }[]
  /** Gives the messages of a prompt; undefined when no server has it. @throws {SvcError} as {@link ServerTool.call} */
  prompt(
    name: string,
    options: { readonly args: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<readonly ChatMessage[] | undefined>
  /** Reads a resource as text; undefined when no server has it. @throws {SvcError} as {@link ServerTool.call} */
  resource(uri: string, options: { readonly signal: AbortSignal }): Promise<string | undefined>
  /** Gives the sessions back. Must not throw. */
  close(): void
}

/** Opens the tools of MCP servers. */
export interface ToolServers {
  /** Whether the file of a model names any server. */
  hasServers(model: ModelConfig): boolean
  /**
   * Opens the servers that the file of a model names.
   *
   * @param servers names of servers; unknown ones give nothing. @default all
   * @throws {SvcError} `mcp_config` when the block cannot be read; a server that fails is in `failures`
   */
  openModel(
    model: ModelConfig,
    options: {
      readonly servers?: readonly string[] | undefined
      readonly context: RequestContext
      readonly signal: AbortSignal
    },
  ): Promise<ToolSet>
  /** Opens a remote server that the request names. Its address passes the guard of outbound requests. */
  openNamed(
    server: NamedToolServer,
    options: { readonly context: RequestContext; readonly signal: AbortSignal },
  ): Promise<ToolSet>
}

/** Tools of this server itself, such as those of the assistant: {@link ToolSet} for one caller. */
export type OpenOwnTools = (options: {
  readonly context: RequestContext
  readonly signal: AbortSignal
}) => Promise<ToolSet>

/**
 * Opens a search in the vector stores of a caller as a set with one tool, `file_search`. Its results are JSON text: an
 * array of `{file_id, filename, score, text, attributes}`.
 *
 * @throws {SvcError} `not_found` for stores of others, `invalid_request` for a filter that cannot be read
 */
export type OpenFileSearch = (
  asked: Extract<HostedTool, { kind: 'file-search' }>,
  options: { readonly context: RequestContext; readonly signal: AbortSignal },
) => Promise<ToolSet>

/**
 * Opens the tools that agents have from their skills or collections.
 *
 * @throws {SvcError} `not_found` for a collection that is not there
 */
export type OpenAgentTools = (
  asked: Extract<HostedTool, { kind: 'skills' | 'collections' }>,
  options: { readonly context: RequestContext; readonly signal: AbortSignal },
) => Promise<ToolSet>
