import { createHash, randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { Environment } from '../backends/child-environment.ts'
import type { BackendProcess } from '../backends/process.ts'
import type { ProcessRecord } from '../backends/process-record.ts'
import type { McpServerSettings, RemoteServerSettings } from '../catalog/mcp-settings.ts'
import { DEFAULT_CALL_MS, findHeaderFault } from '../catalog/mcp-settings.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { NamedToolServer, ToolServers } from '../inference/tools/server-tools.ts'
import type { ProcessStats } from '../monitoring/process-stats.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock, Logger } from '../ports.ts'
import { type ConnectOptions, connect } from './connection.ts'
import { callCancelled } from './failures.ts'
import {
  IDLE_MS,
  MAX_MESSAGE_BYTES,
  MAX_NAMED_SESSIONS,
  MAX_PENDING_SIGN_INS,
  MAX_PROGRAM_BYTES,
  MAX_SESSIONS,
  MAX_SIGN_INS,
} from './limits.ts'
import { readModelServers } from './model-servers.ts'
import { hasModelServers } from './model-texts.ts'
import { createNamedSessions } from './named-sessions.ts'
import { createProgramWatch } from './program-watch.ts'
import { createMemoryRecords, openSealedRecords, type SealedRecords } from './sealed-records.ts'
import { createSession, type Session } from './session.ts'
import { createSessionPool, type Lease } from './session-pool.ts'
import type { SignInRecord } from './sign-in-provider.ts'
import { createSignIns, type PendingSignIn, type SignIns } from './sign-ins.ts'
import { createToolSet, type UsedServer, useServer } from './tool-set.ts'

/** Opens sealed records of a kind. */
export type OpenRecords = <Value>(kind: string, options: { readonly maxRecords: number }) => SealedRecords<Value>

/** Options of {@link createToolServers}. */
export interface ToolServersOptions {
  readonly outbound: OutboundClient
  /** The environment of this server; programs get its allowed part. */
  readonly environment: Environment
  /** Working folder of programs. */
  readonly cwd: string
  /** The version of this server. */
  readonly version: string
  readonly sizes: ProcessStats
  /** Programs that the next server ends if this one is killed. @default none are noted */
  readonly record?: Pick<ProcessRecord, 'add' | 'remove'> | undefined
  readonly clock: Clock
  readonly logger: Logger
  /** File of the sign-ins to remote servers. */
  readonly signInFile: string
  /** Key of that file, 32 bytes. */
  readonly signInKey: () => Uint8Array
  /** Opens records that all front ends have. @default the file, and memory for sign-ins under way */
  readonly openRecords?: OpenRecords | undefined
  readonly startMs?: number | undefined
  readonly connectMs?: number | undefined
  /** @default {@link MAX_MESSAGE_BYTES} */
  readonly maxMessageBytes?: number | undefined
  /** @default {@link MAX_SESSIONS} */
  readonly maxSessions?: number | undefined
  /** @default {@link IDLE_MS} */
  readonly idleMs?: number | undefined
}

/** The MCP servers of models, with their sessions. */
export interface McpServers extends ToolServers {
  /** Gives the servers of a model for pages. Each must be released. @throws {SvcError} `mcp_config` */
  use(model: ModelConfig, names?: readonly string[]): readonly UsedServer[]
  /** Ends sessions of a model that its file no longer names. */
  follow(name: string, model: ModelConfig | undefined): void
  /** Sign-ins to remote servers. */
  readonly signIns: SignIns
  /** Number of open sessions, those of requests that name their servers included. */
  readonly sessions: number
  /** Ends every session and its program. */
  close(): Promise<void>
  /** Sends KILL to every program, for an exit that waits for nothing. */
  killNow(): void
}

function openSignIns({ signInFile: file, signInKey: key, ...options }: ToolServersOptions): SignIns {
  const { openRecords, outbound, clock, logger } = options
  const records =
    openRecords?.<SignInRecord>('mcp-sign-in', { maxRecords: MAX_SIGN_INS }) ??
    openSealedRecords<SignInRecord>({ file, key, maxRecords: MAX_SIGN_INS, logger })
  const pending =
    openRecords?.<PendingSignIn>('mcp-sign-in-state', { maxRecords: MAX_PENDING_SIGN_INS }) ??
    createMemoryRecords<PendingSignIn>(MAX_PENDING_SIGN_INS)
  return createSignIns({ records, pending, outbound, clock })
}

/** Creates the client of MCP servers. No server is started or asked before its first use. */
export function createToolServers(options: ToolServersOptions): McpServers {
  const { clock, logger, maxMessageBytes = MAX_MESSAGE_BYTES, maxSessions = MAX_SESSIONS, idleMs = IDLE_MS } = options
  const pool = createSessionPool({ maxSessions, idleMs, clock })
  const named = createNamedSessions({ maxOfCaller: MAX_NAMED_SESSIONS, maxSessions, clock })
  const watch = createProgramWatch({ maxBytes: MAX_PROGRAM_BYTES, sizes: options.sizes, clock })
  const onProcess = (process: BackendProcess, end: (failure: SvcError) => void, name: string): void => {
    note(process, name, options.record)
    watch.watch(process, end)
  }
  const parts = { ...options, maxMessageBytes, onProcess }
  const signIns = openSignIns(options)

  async function open(settings: McpServerSettings, rest: Pick<ConnectOptions, 'trust' | 'authProvider' | 'signal'>) {
    return createSession(settings.name, await connect(settings, rest, parts))
  }

  async function openForModel(model: string, settings: McpServerSettings, signal: AbortSignal): Promise<Session> {
    const target = settings.kind === 'remote' ? { model, server: settings } : undefined
    const authProvider = target && (await signIns.provider(target))
    return open(settings, { trust: 'operator', signal, authProvider })
  }

  function lease(group: string, settings: McpServerSettings, signal: AbortSignal): Promise<Lease> {
    const key = { group, id: toId(group, settings), server: settings.name }
    return pool.lease(key, (cut) => openForModel(group, settings, cut), signal)
  }

  function use(model: ModelConfig, names?: readonly string[]): readonly UsedServer[] {
    return readModelServers(model)
      .filter(({ name }) => names === undefined || names.includes(name))
      .map((settings) => useServer(settings, (signal) => lease(model.name, settings, signal)))
  }

  return {
    hasServers: hasModelServers,
    use,
    signIns,
    async openModel(model, { servers, signal }) {
      if (signal.aborted) throw callCancelled(signal)
      return createToolSet(use(model, servers), { signal, logger })
    },
    async openNamed(server, { context, signal }) {
      if (signal.aborted) throw callCancelled(signal)
      const settings = toSettings(server)
      const key = { group: randomUUID(), id: randomUUID(), server: settings.name }
      const openOnce = (cut: AbortSignal) => open(settings, { trust: 'public', signal: cut })
      const used = useServer(settings, (waiting) => named.lease(context.principal.id, { key, open: openOnce }, waiting))
      return createToolSet([used], { signal, logger, rule: server.approval })
    },
    follow(name, model) {
      const kept = model === undefined ? [] : readKept(model)
      pool.retire(name, new Set(kept.map((settings) => toId(name, settings))))
    },
    get sessions() {
      return pool.size + named.size
    },
    async close() {
      await Promise.all([pool.close(), named.close()])
    },
    killNow: watch.killNow,
  }
}

/** Notes a program for as long as it runs. */
function note({ pid, startTicks, exited }: BackendProcess, name: string, record: ToolServersOptions['record']): void {
  if (startTicks === undefined) return
  record?.add({ pid, startTicks, name: `mcp ${name}` })
  void exited.then(() => record?.remove(pid))
}

/** A session belongs to a group and to the settings that decide over its connection. */
function toId(group: string, settings: McpServerSettings): string {
  const { prefix: _, allow: __, deny: ___, approval: ____, ...connection } = settings
  return createHash('sha256')
    .update(JSON.stringify([group, connection]))
    .digest('base64url')
}

function readKept(model: ModelConfig): readonly McpServerSettings[] {
  try {
    return readModelServers(model)
  } catch {
    return []
  }
}

/** Most names of tools that a request allows or denies; each tool of the server is looked for among them. */
const MAX_NAMES = 1024

function toSettings(server: NamedToolServer): RemoteServerSettings {
  const { label, url, token, headers = {}, allowed, denied = [] } = server
  if (!URL.canParse(url)) throw notUsable(label, 'its address is not valid')
  if ((allowed?.length ?? 0) + denied.length > MAX_NAMES)
    throw notUsable(label, `more than ${MAX_NAMES} names of tools`)
  for (const [name, value] of [...Object.entries(headers), ['authorization', token ?? ''] as const]) {
    const fault = findHeaderFault(name, value)
    if (fault !== undefined) throw notUsable(label, `headers: ${fault}`)
  }
  return {
    kind: 'remote',
    name: label,
    url,
    token,
    headers,
    transport: 'auto',
    prefix: '',
    allow: allowed,
    deny: denied,
    approval: 'auto',
    timeoutMs: DEFAULT_CALL_MS,
  }
}

function notUsable(label: string, reason: string): SvcError {
  return new SvcError('invalid_request', `the MCP server "${label}" cannot be used: ${reason}`, {
    code: 'mcp_invalid_server',
  })
}
