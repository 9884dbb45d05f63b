import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import type { ServerTool } from '../inference/tools/server-tools.ts'
import type { Logger } from '../ports.ts'
import { MAX_DESCRIPTION } from './limits.ts'
import type { Session } from './session.ts'
import type { Listed, ListKind } from './session-lists.ts'
import { findResourceServer, isTool, listServerTools, sendToServer, type UsedServer } from './tool-set.ts'

/** A server of a model, as pages show it. */
export interface DescribedServer {
  readonly name: string
  readonly type: 'remote' | 'stdio'
  /** Whether an administrator signs in to it. */
  readonly oauth?: true | undefined
  readonly tools: readonly ServerTool[]
  /** Names of its prompts; undefined where it offers none. */
  readonly prompts?: readonly string[] | undefined
  /** Addresses of its resources; undefined where it offers none. */
  readonly resources?: readonly string[] | undefined
  /** Why it gives nothing. */
  readonly error?: string | undefined
}

/** Options of pages. */
export interface PageOptions {
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** Describes every server, with an error in the place of one that does not work. */
export function describeServers(
  servers: readonly UsedServer[],
  options: PageOptions,
): Promise<readonly DescribedServer[]> {
  return Promise.all(servers.map((server) => describe(server, options)))
}

async function describe(server: UsedServer, options: PageOptions): Promise<DescribedServer> {
  const { name, kind: type } = server.settings
  const oauth =
    server.settings.kind === 'remote' && server.settings.oauth?.grant === 'code' ? { oauth: true as const } : {}
  const { tools, failure } = await listServerTools(server, options)
  options.signal.throwIfAborted()
  if (failure !== undefined) return { name, type, ...oauth, tools, error: failure.message }
  try {
    const session = await server.session(options.signal)
    const read = async (kind: 'prompts' | 'resources', key: string) =>
      session.offers(kind)
        ? (await session.list(kind, options.signal)).flatMap((entry) => toName(entry[key]))
        : undefined
    return {
      name,
      type,
      ...oauth,
      tools,
      prompts: await read('prompts', 'name'),
      resources: await read('resources', 'uri'),
    }
  } catch (error) {
    if (options.signal.aborted || !SvcError.is(error)) throw error
    return { name, type, ...oauth, tools, error: error.message }
  }
}

/** Nothing for an entry without a name. */
function toName(name: unknown): string[] {
  return typeof name === 'string' ? [cut(name)] : []
}

function cut(text: string): string {
  return text.slice(0, MAX_DESCRIPTION)
}

/** Lists what all servers have of a kind, each entry with the name of its server. Servers that fail have none. */
export async function listAll(
  servers: readonly UsedServer[],
  kind: Exclude<ListKind, 'tools'>,
  { signal, logger }: PageOptions,
): Promise<Listed> {
  const lists = await Promise.all(
    servers.map(async (server) => {
      const { name } = server.settings
      try {
        const entries = await (await server.session(signal)).list(kind, signal)
        return entries.map((entry) => ({ ...entry, server: name }))
      } catch (error) {
        if (signal.aborted || !SvcError.is(error)) throw error
        logger.warn({ server: name, err: error }, 'mcp server gives no list')
        return []
      }
    }),
  )
  return lists.flat()
}

/** Gives a prompt of the first server that has it. @throws {SvcError} `not_found`; those of the session */
export async function getPrompt(
  servers: readonly UsedServer[],
  name: string,
  { args, signal, logger }: PageOptions & { readonly args: Readonly<Record<string, string>> },
): Promise<GetPromptResult> {
  const listed = await listAll(servers, 'prompts', { signal, logger })
  const owner = listed.find((prompt) => prompt.name === name)?.server
  const server = servers.find(({ settings }) => settings.name === owner)
  if (server === undefined) throw notFound(`no MCP server of the model has the prompt "${cut(name)}"`)
  const { timeoutMs } = server.settings
  return (await server.session(signal)).getPrompt(name, args, { signal, timeoutMs })
}

/** Reads a resource of the first server that has it. @throws {SvcError} `not_found`; those of the session */
export async function readResource(
  servers: readonly UsedServer[],
  uri: string,
  { signal }: PageOptions,
): Promise<ReadResourceResult> {
  const server = await findResourceServer(servers, uri, signal)
  if (server === undefined) throw notFound(`no MCP server of the model has the resource "${cut(uri)}"`)
  const { timeoutMs } = server.settings
  return (await server.session(signal)).readResource(uri, { signal, timeoutMs })
}

/** A call that a person makes. */
export interface TriedCall {
  readonly server: string
  /** The name on the server. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Calls a tool that models may call. @throws {SvcError} `not_found`; those of the session */
export async function tryTool(
  servers: readonly UsedServer[],
  { server: name, tool, args }: TriedCall,
  { signal }: PageOptions,
): Promise<CallToolResult> {
  const server = servers.find(({ settings }) => settings.name === name)
  if (server === undefined) throw notFound(`the model has no MCP server "${cut(name)}"`)
  if (!isTool(server.settings, tool))
    throw notFound(`the MCP server "${cut(name)}" has no tool "${cut(tool)}" for models`)
  const { timeoutMs } = server.settings
  const send = (session: Session) => session.callTool(tool, args, { signal, timeoutMs })
  return sendToServer(server, send, signal)
}

function notFound(message: string): SvcError {
  return new SvcError('not_found', message, { code: 'mcp_not_found', details: { type: 'invalid_request_error' } })
}
