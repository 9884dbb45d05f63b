import { checkAccess, decideAccess, type RouteRequirement } from '@svc/auth/access'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { untilAborted } from '../../concurrency/until-aborted.ts'
import type { PredictionStep, ToolSource } from '../core/events.ts'
import type { RequestContext } from '../core/ports.ts'
import type { ChatMessage } from '../core/request.ts'
import type { HostedTool, ServerTexts } from './hosted-tool.ts'
import { createOwnToolSet } from './own-tool-set.ts'
import type { OpenAgentTools, OpenFileSearch, OpenOwnTools, ServerTool, ToolServers, ToolSet } from './server-tools.ts'

/** The parts of a server that give tools; absent ones are switched off. */
export interface ToolSources {
  readonly toolServers?: ToolServers | undefined
  readonly assistantTools?: OpenOwnTools | undefined
  readonly fileSearch?: OpenFileSearch | undefined
  readonly agentTools?: OpenAgentTools | undefined
}

/** A tool of an opened set. */
export interface OpenTool extends ServerTool {
  readonly source: ToolSource
}

/** The tools of one request. */
export interface OpenedTools {
  /** By the name for the model. */
  readonly tools: ReadonlyMap<string, OpenTool>
  /** What the request learns before its first turn: the tools of each server, and failures. */
  readonly steps: readonly PredictionStep[]
  /** @throws {SvcError} `invalid_request` when no server has it */
  texts(wanted: ServerTexts): Promise<OpenedTexts>
  /** Gives all sessions back. */
  close(): void
}

/** Texts that servers give. */
export interface OpenedTexts {
  readonly messages: readonly ChatMessage[]
  readonly resources: readonly { readonly uri: string; readonly text: string }[]
}

interface OpenSet {
  readonly set: ToolSet
  readonly source: ToolSource
}

/** Options of {@link openTools}. */
export interface OpenOptions {
  readonly model: ModelConfig
  readonly context: RequestContext
  readonly signal: AbortSignal
  /** Names of tools that the caller runs. They win over tools of servers. */
  readonly taken: ReadonlySet<string>
}

/**
 * Opens everything that a request wants this server to run.
 *
 * @throws {SvcError} `internal` with the words of the contract when a model has no servers, or none that works
 */
export async function openTools(
  hosted: readonly HostedTool[],
  sources: ToolSources,
  options: OpenOptions,
): Promise<OpenedTools> {
  const sets: OpenSet[] = []
  const close = (): void => {
    for (const { set } of sets.splice(0)) set.close()
  }
  const opening = hosted.map(async (one) => {
    const opened = openOne(one, sources, options)
    // A set that comes too late is given back at once.
    opened.then(
      ({ set }) => options.signal.aborted && set.close(),
      () => undefined,
    )
    const open = await untilAborted(opened, options.signal)
    sets.push(open)
    return open
  })
  const settled = await Promise.allSettled(opening)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed !== undefined) {
    close()
    throw toServersError(failed.reason)
  }
  const inOrder = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  try {
    refuseIfNoneWorks(hosted, inOrder)
  } catch (error) {
    close()
    throw error
  }
  const { tools, hidden } = nameTools(inOrder, options.taken)
  return {
    tools,
    steps: [...inOrder.flatMap(toSteps), ...toHiddenWarning(hidden)],
    texts: (wanted) => readTexts(wanted, inOrder, options.signal),
    close,
  }
}

async function openOne(one: HostedTool, sources: ToolSources, options: OpenOptions): Promise<OpenSet> {
  const { model, context, signal } = options
  const { toolServers, assistantTools, fileSearch, agentTools } = sources
  const { isUsable } = checkRights(one, context)
  if (!isUsable) return { set: NO_TOOLS, source: 'mcp' }
  switch (one.kind) {
    case 'model-servers': {
      if (toolServers === undefined) throw switchedOff('tools of MCP servers')
      if (!toolServers.hasServers(model)) {
        if (one.required) throw serversError('no MCP servers configured', 'mcp_not_configured')
        return { set: NO_TOOLS, source: 'mcp' }
      }
      const { servers } = one
      return { set: await toolServers.openModel(model, { servers, context, signal }), source: 'mcp' }
    }
    case 'named-server':
      if (toolServers === undefined) throw switchedOff('tools of MCP servers')
      return { set: await toolServers.openNamed(one.server, { context, signal }), source: 'mcp' }
    case 'file-search':
      if (fileSearch === undefined) throw switchedOff('file_search')
      return { set: await fileSearch(one, { context, signal }), source: 'file-search' }
    case 'assistant':
      if (assistantTools === undefined) throw switchedOff('the tools of the assistant')
      return { set: await assistantTools({ context, signal }), source: 'own' }
    case 'skills':
    case 'collections':
      if (agentTools === undefined) throw switchedOff('skills and collections')
      return { set: await agentTools(one, { context, signal }), source: 'own' }
  }
}

const SERVERS: RouteRequirement = { access: 'any', feature: 'mcp' }
const STORES: RouteRequirement = { access: 'any', feature: 'stores' }

/**
 * Holds a caller to the rights that the routes of the same things want. The servers of an agent are the choice of its
 * administrator. Servers that nobody named are left out of the request of a caller who may not use them.
 *
 * @throws {SvcError} `forbidden`
 */
function checkRights(one: HostedTool, { principal, isInside }: RequestContext): { readonly isUsable: boolean } {
  if (one.kind === 'file-search') checkAccess(principal, STORES)
  if ((one.kind !== 'model-servers' && one.kind !== 'named-server') || isInside === true) return { isUsable: true }
  if (one.kind === 'model-servers' && one.ifAny === true) {
    return { isUsable: decideAccess(principal, SERVERS) === undefined }
  }
  checkAccess(principal, SERVERS)
  return { isUsable: true }
}

const NO_TOOLS = createOwnToolSet([])

function switchedOff(name: string): SvcError {
  return new SvcError('invalid_request', `${name} are not available on this server`, { code: 'tools_not_available' })
}

function serversError(message: string, code: string, cause?: unknown): SvcError {
  return new SvcError('internal', message, { code, cause, details: { type: 'server_error' } })
}

function toServersError(reason: unknown): unknown {
  if (!SvcError.is(reason) || reason.code !== 'mcp_config') return reason
  return serversError('failed to get MCP config', 'mcp_config', reason)
}

function refuseIfNoneWorks(hosted: readonly HostedTool[], sets: readonly OpenSet[]): void {
  for (const [index, one] of hosted.entries()) {
    const set = sets[index]?.set
    if (one.kind !== 'model-servers' || !one.required || set === undefined || set.tools.length > 0) continue
    if (set.failures.length > 0 || one.servers !== undefined) {
      throw serversError('no working MCP servers found', 'mcp_no_servers')
    }
  }
}

/** Most characters of the descriptions and schemas of all tools of a request: the model reads them in each turn. */
const MAX_TOOLS_LENGTH = 2 * 1024 * 1024

/** Gives each name to the first tool that has it, as long as there is room. */
function nameTools(
  sets: readonly OpenSet[],
  taken: ReadonlySet<string>,
): { readonly tools: ReadonlyMap<string, OpenTool>; readonly hidden: readonly string[] } {
  const tools = new Map<string, OpenTool>()
  const hidden: string[] = []
  let room = MAX_TOOLS_LENGTH
  for (const { set, source } of sets) {
    for (const tool of set.tools) {
      const isTaken = taken.has(tool.name) || tools.has(tool.name)
      const length = isTaken ? 0 : JSON.stringify([tool.description, tool.inputSchema]).length
      if (isTaken || length > room) {
        hidden.push(tool.name)
        continue
      }
      room -= length
      tools.set(tool.name, toOpenTool(tool, source))
    }
  }
  return { tools, hidden }
}

function toOpenTool(tool: ServerTool, source: ToolSource): OpenTool {
  const { name, server, description, inputSchema, hints, approval } = tool
  return {
    name,
    tool: tool.tool,
    server,
    description,
    inputSchema,
    hints,
    approval,
    source,
    call: (args, options) => tool.call(args, options),
  }
}

const MAX_NAMED = 8

function toHiddenWarning(hidden: readonly string[]): PredictionStep[] {
  if (hidden.length === 0) return []
  const named = hidden.slice(0, MAX_NAMED).join(', ')
  const message = `tools of servers whose names are taken, or for which there is no room, are left out: ${named}${hidden.length > MAX_NAMED ? ', ...' : ''}`
  return [{ type: 'warning', code: 'tools_left_out', message }]
}

function toSteps({ set, source }: OpenSet): PredictionStep[] {
  if (source !== 'mcp') return []
  const labels = new Set(set.tools.map(({ server }) => server))
  const listed = [...labels].map(
    (server): PredictionStep => ({
      type: 'server-tools',
      choice: 0,
      server,
      tools: set.tools
        .filter((tool) => tool.server === server)
        .map(({ name, description, inputSchema, hints }) => ({ name, description, inputSchema, hints })),
    }),
  )
  const failed = set.failures.flatMap(({ server, message }): PredictionStep[] => [
    { type: 'server-tools', choice: 0, server, tools: [], error: message },
    { type: 'warning', code: 'tool_server_failed', message: `the tools of ${server} are left out: ${message}` },
  ])
  return [...listed, ...failed]
}

async function readTexts(
  { prompt, resources = [] }: ServerTexts,
  sets: readonly OpenSet[],
  signal: AbortSignal,
): Promise<OpenedTexts> {
  const find = async <Found>(ask: (set: ToolSet) => Promise<Found | undefined>): Promise<Found | undefined> => {
    for (const { set } of sets) {
      const found = await untilAborted(ask(set), signal)
      if (found !== undefined) return found
    }
    return undefined
  }
  const messages = prompt && (await find((set) => set.prompt(prompt.name, { args: prompt.args, signal })))
  if (prompt !== undefined && messages === undefined) throw notFound('mcp_prompt', `no server has ${prompt.name}`)
  const texts: { uri: string; text: string }[] = []
  for (const uri of resources) {
    const text = await find((set) => set.resource(uri, { signal }))
    if (text === undefined) throw notFound('mcp_resources', `no server has ${uri}`)
    texts.push({ uri, text })
  }
  return { messages: messages ?? [], resources: texts }
}

function notFound(key: string, reason: string): SvcError {
  const param = `metadata.${key}`
  return new SvcError('invalid_request', `${param}: ${reason}`, { code: 'not_on_servers', details: { param } })
}
