import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { SvcError } from '@svc/errors'
import type { McpServerSettings, ToolRule } from '../catalog/mcp-settings.ts'
import type { ServerTool, ToolSet } from '../inference/tools/server-tools.ts'
import type { Logger } from '../ports.ts'
import { type ListedTool, readTools } from './listed-tools.ts'
import { toChatMessages, toResourceText } from './prompt-messages.ts'
import type { Session } from './session.ts'
import type { Lease } from './session-pool.ts'
import { toModelName } from './tool-names.ts'
import { toToolResult } from './tool-result.ts'

/** A server that a request uses. */
export interface UsedServer {
  readonly settings: McpServerSettings
  /** Gives a living session; opens a new one where the last one has ended. @throws {SvcError} */
  session(signal: AbortSignal): Promise<Session>
  /** Gives its session back. */
  release(): void
}

/** Keeps one lease of a server, and replaces it when its session has ended. */
export function useServer(settings: McpServerSettings, lease: (signal: AbortSignal) => Promise<Lease>): UsedServer {
  let held: Lease | undefined
  let isReleased = false
  const living = (): Session | undefined => (held?.session.failure() === undefined ? held?.session : undefined)
  function hold(lease: Lease | undefined): void {
    held?.release()
    held = lease
  }
  return {
    settings,
    async session(signal) {
      const known = living()
      if (known !== undefined) return known
      if (isReleased) throw requestOver()
      hold(undefined)
      const next = await lease(signal)
      // Another call of the request may have been faster, or the request has ended.
      const other = living()
      if (other === undefined && !isReleased) {
        hold(next)
        return next.session
      }
      next.release()
      if (other === undefined) throw requestOver()
      return other
    },
    release() {
      isReleased = true
      held?.release()
    },
  }
}

function requestOver(): SvcError {
  return new SvcError('cancelled', 'the request of the tool is over')
}

/** Options of {@link createToolSet}. */
export interface ToolSetOptions {
  readonly signal: AbortSignal
  readonly logger: Logger
  /** The rule of a tool by its name on the server. @default that of the settings */
  readonly rule?: ((tool: string) => ToolRule) | undefined
}

/** Lists the tools of some servers. A server that fails is in `failures`. */
export async function createToolSet(servers: readonly UsedServer[], options: ToolSetOptions): Promise<ToolSet> {
  const { signal, logger } = options
  const release = (): void => {
    for (const server of servers) server.release()
  }
  let listed: readonly ServerTools[]
  try {
    listed = await Promise.all(servers.map((server) => listServerTools(server, options)))
    signal.throwIfAborted()
  } catch (error) {
    release()
    throw error
  }
  const tools = new Map<string, ServerTool>()
  for (const tool of listed.flatMap((result) => result.tools)) {
    const { name, server } = tool
    if (!tools.has(name)) tools.set(name, tool)
    else
      logger.info(
        { tool: name, server, used: tools.get(name)?.server },
        'two mcp tools have one name; the first is used',
      )
  }
  return {
    tools: [...tools.values()],
    failures: listed.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
    prompt: (name, options) => findPrompt(servers, name, options),
    resource: (uri, options) => findResource(servers, uri, options),
    close: release,
  }
}

/** The tools of one server, or why there are none. */
export interface ServerTools {
  readonly tools: readonly ServerTool[]
  readonly failure?: ToolSet['failures'][number] | undefined
}

/** Lists the tools of a server that models may call. */
export async function listServerTools(
  server: UsedServer,
  { signal, logger, rule }: ToolSetOptions,
): Promise<ServerTools> {
  const { name } = server.settings
  try {
    const session = await server.session(signal)
    const { tools, refused } = readTools(await session.list('tools', signal))
    if (refused.length > 0)
      logger.warn({ server: name, tools: refused.slice(0, 20) }, 'tools of an mcp server are not usable')
    return { tools: tools.flatMap((tool) => toServerTool(server, tool, rule) ?? []) }
  } catch (error) {
    if (signal.aborted) return { tools: [] }
    if (!SvcError.is(error)) throw error
    logger.warn({ server: name, err: error }, 'mcp server gives no tools')
    return { tools: [], failure: { server: name, message: error.message } }
  }
}

function toServerTool(server: UsedServer, listed: ListedTool, rule: ToolSetOptions['rule']): ServerTool | undefined {
  const { settings } = server
  const approval = rule?.(listed.name) ?? findRule(settings, listed.name)
  if (approval === 'never' || !isAllowed(settings, listed.name)) return undefined
  return {
    name: toModelName(settings.prefix, listed.name),
    tool: listed.name,
    server: settings.name,
    description: listed.description,
    inputSchema: listed.inputSchema,
    hints: listed.hints,
    approval,
    async call(args, { signal, onProgress }) {
      const limits = { signal, onProgress, timeoutMs: settings.timeoutMs }
      return toToolResult(await sendToServer(server, (session) => session.callTool(listed.name, args, limits), signal))
    },
  }
}

/**
 * Sends a request to a server. One that the server refuses because it no longer knows the session is sent once more in a
 * new one.
 */
export async function sendToServer<T>(
  server: UsedServer,
  send: (session: Session) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const session = await server.session(signal)
  try {
    return await send(session)
  } catch (error) {
    if (!isSessionUnknown(error)) throw error
    await session.close()
    return send(await server.session(signal))
  }
}

/**
 * Whether a server answered with the status for sessions that it does not know. It has not run the call then; an error of
 * the protocol with that code says nothing of the kind.
 */
function isSessionUnknown(error: unknown): boolean {
  const cause = SvcError.is(error) ? error.cause : undefined
  return cause instanceof StreamableHTTPError && cause.code === 404
}

/** Whether models may call a tool of a server, at once or once their caller agrees. */
export function isTool(settings: McpServerSettings, tool: string): boolean {
  return isAllowed(settings, tool) && findRule(settings, tool) !== 'never'
}

/** Whether the lists of a server let a tool in. */
function isAllowed({ allow, deny }: McpServerSettings, tool: string): boolean {
  return (allow === undefined || allow.includes(tool)) && !deny.includes(tool)
}

function findRule({ approval }: McpServerSettings, tool: string): ToolRule {
  if (typeof approval === 'string') return approval
  return (Object.hasOwn(approval, tool) ? approval[tool] : approval['*']) ?? 'auto'
}

const DEFAULT_ARGS: Readonly<Record<string, string>> = {}

async function findPrompt(
  servers: readonly UsedServer[],
  name: string,
  { args = DEFAULT_ARGS, signal }: { readonly args?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): ReturnType<ToolSet['prompt']> {
  for (const server of servers) {
    const session = await findLiving(server, signal)
    if (session === undefined || !session.offers('prompts')) continue
    const prompts = await session.list('prompts', signal)
    if (!prompts.some((prompt) => prompt.name === name)) continue
    return toChatMessages(await session.getPrompt(name, args, { signal, timeoutMs: server.settings.timeoutMs }))
  }
  return undefined
}

async function findResource(
  servers: readonly UsedServer[],
  uri: string,
  { signal }: { readonly signal: AbortSignal },
): ReturnType<ToolSet['resource']> {
  const server = await findResourceServer(servers, uri, signal)
  if (server === undefined) return undefined
  const session = await server.session(signal)
  return toResourceText(await session.readResource(uri, { signal, timeoutMs: server.settings.timeoutMs }))
}

/** Finds the server that lists a resource, or has a template that fits it. */
export async function findResourceServer(
  servers: readonly UsedServer[],
  uri: string,
  signal: AbortSignal,
): Promise<UsedServer | undefined> {
  for (const server of servers) {
    const session = await findLiving(server, signal)
    if (session === undefined || !session.offers('resources')) continue
    const resources = await session.list('resources', signal)
    if (resources.some((resource) => resource.uri === uri)) return server
    const templates = await session.list('resourceTemplates', signal)
    if (templates.some(({ uriTemplate }) => typeof uriTemplate === 'string' && startsAs(uri, uriTemplate)))
      return server
  }
  return undefined
}

/** Whether an address begins as a template does before its first variable. */
function startsAs(uri: string, template: string): boolean {
  const fixed = template.split('{', 1)[0] ?? ''
  return fixed.length > 0 && uri.length > fixed.length && uri.startsWith(fixed)
}

/** The session of a server; undefined where it cannot be had. */
async function findLiving(server: UsedServer, signal: AbortSignal): Promise<Session | undefined> {
  try {
    return await server.session(signal)
  } catch (error) {
    if (signal.aborted || !SvcError.is(error)) throw error
    return undefined
  }
}
