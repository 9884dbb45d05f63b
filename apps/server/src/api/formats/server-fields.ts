import { SvcError } from '@svc/errors'
import type { ChatRequest } from '../../inference/core/request.ts'
import type { HostedTool, ServerTexts } from '../../inference/tools/hosted-tool.ts'

/** Most names of servers or addresses of resources of a request. */
const MAX_NAMES = 64
/** Most answers to calls that wait for consent. */
const MAX_APPROVALS = 256

/** The fields of a request that `metadata` decides. */
export interface ServerFields extends Pick<ChatRequest, 'approvals' | 'serverTexts'> {
  readonly hosted: readonly HostedTool[]
}

/** Leaves out tools that this server runs, which a count of tokens does not open, and says so. */
export function leaveOutHosted({ hostedTools, approvals: _, serverTexts: __, ...chat }: ChatRequest): ChatRequest {
  const isNamed = hostedTools?.some((tool) => !(tool.kind === 'model-servers' && tool.ifAny === true)) ?? false
  if (!isNamed) return chat
  const message = 'tools that this server runs are not counted'
  return { ...chat, warnings: [...(chat.warnings ?? []), { code: 'tools_left_out', message }] }
}

/** Most characters of the JSON of a key: it is read at once. */
const MAX_TEXT = 256 * 1024

type Metadata = Readonly<Record<string, string>> | undefined

/**
 * Reads the keys of `metadata` that name tools of this server: `mcp_servers`, `mcp_prompt`, `mcp_prompt_args`,
 * `mcp_resources`, `mcp_approvals` and `localai_assistant`.
 *
 * @param options.usual the servers of a request that names none
 * @param options.required whether a request that names servers fails when none of them works
 * @throws {SvcError} `invalid_request` naming the key
 */
export function readServerFields(
  metadata: Metadata,
  { usual, required }: { readonly usual: readonly HostedTool[]; readonly required: boolean },
): ServerFields {
  if (metadata === undefined) return { hosted: usual }
  const servers = readNames(metadata, 'mcp_servers')
  const own: readonly HostedTool[] = isYes(metadata.localai_assistant) ? [{ kind: 'assistant' }] : []
  const named: readonly HostedTool[] =
    servers.length === 0 ? usual : [{ kind: 'model-servers', servers: [...new Set(servers)], required }]
  const serverTexts = readTexts(metadata)
  if (serverTexts !== undefined && named.length === 0) {
    const key = serverTexts.prompt === undefined ? 'mcp_resources' : 'mcp_prompt'
    throw invalid(key, 'needs mcp_servers')
  }
  const approvals = readApprovals(metadata.mcp_approvals)
  return {
    hosted: [...named, ...own],
    ...(serverTexts === undefined ? {} : { serverTexts }),
    ...(approvals === undefined ? {} : { approvals }),
  }
}

function readNames(metadata: NonNullable<Metadata>, key: string): readonly string[] {
  const names = (metadata[key] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length > MAX_NAMES) throw invalid(key, `more than ${MAX_NAMES} names`)
  return names
}

function isYes(text: string | undefined): boolean {
  return text === 'true' || text === '1'
}

function readTexts(metadata: NonNullable<Metadata>): ServerTexts | undefined {
  const name = metadata.mcp_prompt?.trim() ?? ''
  const resources = readNames(metadata, 'mcp_resources')
  if (name === '' && resources.length === 0) return undefined
  const args = readObject(metadata.mcp_prompt_args, 'mcp_prompt_args')
  const wrong = Object.entries(args).find(([, value]) => typeof value !== 'string')
  if (wrong !== undefined) throw invalid('mcp_prompt_args', `${wrong[0]} must be a text`)
  return { ...(name === '' ? {} : { prompt: { name, args: args as Readonly<Record<string, string>> } }), resources }
}

function readApprovals(text: string | undefined): ReadonlyMap<string, boolean> | undefined {
  const entries = Object.entries(readObject(text, 'mcp_approvals'))
  if (entries.length === 0) return undefined
  if (entries.length > MAX_APPROVALS) throw invalid('mcp_approvals', `more than ${MAX_APPROVALS} calls`)
  const wrong = entries.find(([, value]) => typeof value !== 'boolean')
  if (wrong !== undefined) throw invalid('mcp_approvals', `${wrong[0]} must be true or false`)
  return new Map(entries as [string, boolean][])
}

function readObject(text: string | undefined, key: string): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === '') return {}
  if (text.length > MAX_TEXT) throw invalid(key, `more than ${MAX_TEXT} characters`)
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // refused below
  }
  throw invalid(key, 'must be a JSON object, as text')
}

function invalid(key: string, reason: string): SvcError {
  const param = `metadata.${key}`
  return new SvcError('invalid_request', `${param}: ${reason}`, { code: 'invalid_tools', details: { param } })
}
