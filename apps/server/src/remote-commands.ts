import { SvcError } from '@svc/errors'
import { systemClock } from './clock.ts'
import type { RemoteCommand } from './config/remote-command.ts'
import type { ServerConfig } from './config/schema.ts'
import { toReachableUrl } from './greeting.ts'
import { createOutboundClient } from './outbound/client.ts'
import type { Logger } from './ports.ts'

type Fields = Readonly<Record<string, unknown>>

/** Calls the server that this configuration belongs to. */
interface ServerClient {
  get(path: string): Promise<unknown>
  post(path: string, body?: Fields): Promise<Fields>
}

const POLL_MS = 300
const TIMEOUT_MS = 60_000
const MAX_REPLY_BYTES = 64 * 1024 * 1024
const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} }
const print = (text: string): void => void process.stdout.write(text)

/**
 * Has the running server carry out a command. An installation is followed to its end; Ctrl-C pauses it.
 *
 * @throws {SvcError} of the connection, or what the server refuses
 */
export async function runRemoteCommand(config: ServerConfig, { verb, argument }: RemoteCommand): Promise<void> {
  const server = connectTo(config)
  const id = encodeURIComponent(argument)
  switch (verb) {
    case 'models available':
    case 'backends available': {
      const listed = toRows(await server.get(`/${verb.split(' ')[0]}/available`))
      for (const { name, installed, description } of listed) {
        const line = String(description ?? '').split('\n', 1)[0] ?? ''
        print(`${String(name)}${installed === true ? ' (installed)' : ''}${line === '' ? '' : `  ${line}`}\n`)
      }
      return
    }
    case 'models install': {
      const { uuid } = await server.post('/models/apply', { id: argument })
      return followJob(server, `/models/jobs/${String(uuid)}`, String(uuid))
    }
    case 'backends install': {
      const { id: job } = await server.post('/backends/apply', { id: argument })
      return followJob(server, `/backends/jobs/${String(job)}`, String(job))
    }
    case 'backends delete': {
      const { id: job } = await server.post(`/backends/delete/${id}`)
      return followJob(server, `/backends/jobs/${String(job)}`, String(job))
    }
    case 'operations list':
      return printOperations(await server.get('/api/operations'))
    case 'operations history':
      return printOperations(await server.get('/api/operations/history'))
    case 'operations cancel':
    case 'operations pause':
    case 'operations dismiss': {
      const { message } = await server.post(`/api/operations/${id}/${verb.slice('operations '.length)}`)
      print(`${String(message)}\n`)
    }
  }
}

function connectTo(config: ServerConfig): ServerClient {
  const host = config.address.host ?? ''
  const isAnywhere = host === '' || host === '0.0.0.0' || host === '::'
  const base = toReachableUrl(`http://${isAnywhere ? '127.0.0.1' : host}:${config.address.port}/`)
  const { origin } = new URL(base)
  const [key] = config.apiKeys
  const client = createOutboundClient({
    allow: { cidrs: [], hosts: [] },
    ...{ clock: systemClock, log: quiet, userAgent: 'svc' },
  })
  async function call(path: string, method: 'GET' | 'POST', body?: Fields): Promise<unknown> {
    await using reply = await client.fetch(new URL(path, base).href, {
      signal: new AbortController().signal,
      ...{ trust: 'operator', method, maxBytes: MAX_REPLY_BYTES, timeoutMs: TIMEOUT_MS },
      ...(key === undefined ? {} : { credentials: { origin, authorization: `Bearer ${key}` } }),
      ...(body === undefined
        ? {}
        : { body: Buffer.from(JSON.stringify(body)), headers: { 'content-type': 'application/json' } }),
    })
    const value = await reply.json()
    if (reply.status < 400) return value
    throw new SvcError('internal', readMessage(value) ?? `the server answers with status ${reply.status}`)
  }
  return {
    get: (path) => call(path, 'GET'),
    async post(path, body) {
      return toFields(await call(path, 'POST', body ?? {}))
    },
  }
}

/** Shows the progress of a job until it has ended. @throws {SvcError} where it failed */
async function followJob(server: ServerClient, path: string, job: string): Promise<void> {
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  let shown = ''
  for (;;) {
    const { processed, progress, message, error, phase = '' } = toFields(await server.get(path))
    const line = `${Math.floor(Number(progress))} % ${String(phase) || String(message)}`
    if (line !== shown) process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
    shown = line
    if (processed === true) {
      if (process.stderr.isTTY) process.stderr.write('\n')
      if (error !== undefined) throw new SvcError('internal', String(error))
      return print(`${String(message)}\n`)
    }
    await systemClock.sleep(POLL_MS, { signal: interrupted.signal }).catch(() => undefined)
    if (!interrupted.signal.aborted) continue
    await server.post(`/api/operations/${job}/pause`)
    throw new SvcError('cancelled', 'paused: the same command goes on where it stopped')
  }
}

function printOperations(value: unknown): void {
  for (const { jobID, taskType, id, outcome, progress, message, error, isQueued } of toRows(
    toFields(value).operations,
  )) {
    const state = outcome ?? (error === undefined ? (isQueued === true ? 'queued' : `${String(progress)} %`) : 'failed')
    const detail = error ?? message ?? ''
    const columns = [jobID, taskType, id, state, detail].map(String).join('  ')
    print(`${columns.trimEnd()}\n`)
  }
}

function readMessage(value: unknown): string | undefined {
  const { error } = toFields(value)
  const message = typeof error === 'string' ? error : toFields(error).message
  return typeof message === 'string' ? message : undefined
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function toRows(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(toFields) : []
}
