import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { SvcError } from '@svc/errors'
import { createLogRing } from '../backends/log-ring.ts'
import { type BackendProcess, type ProcessOptions, startProcess } from '../backends/process.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { Clock, Logger } from '../ports.ts'
import { messageTooComplex, messageTooLarge, serverFailed } from './failures.ts'
import { isReadable } from './message-shape.ts'

/** Options of {@link createStdioTransport}. */
export interface StdioTransportOptions {
  /** Name of the server, for failures and the log. */
  readonly server: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly maxMessageBytes: number
  readonly onStarted: (process: BackendProcess) => void
  /** Called once, when the program is gone by itself or broke a limit. */
  readonly onFailed: (failure: SvcError) => void
  readonly clock: Clock
  readonly logger: Logger
}

const LINE_FEED = 0x0a
/** Lines that are not messages after which a program is ended. */
const MAX_UNREADABLE = 1000
/** Time that a program has to end when its input ends, and again when it is asked to. */
const GRACE_MS = 1000
/** Lines of error output that are kept for the log. */
const KEPT_LINES = 200
const KEPT_BYTES = 64 * 1024

/** Creates the transport to a program that speaks over its standard input and output. */
export function createStdioTransport(options: StdioTransportOptions): Transport {
  const { server, maxMessageBytes, clock, logger } = options
  const reader = createLineReader(maxMessageBytes)
  let child: BackendProcess | undefined
  let unreadable = 0
  let isClosed = false
  let closing: Promise<void> | undefined

  const transport: Transport = {
    async start() {
      child = await start(options, onOutput)
      if (isClosed) {
        child.killNow()
        throw serverFailed(server, 'was closed during its start')
      }
      options.onStarted(child)
      void child.exited.then(onExit)
    },
    async send(message) {
      const { input } = child ?? {}
      if (input === undefined || isClosed || child?.hasExited() === true) throw serverFailed(server, 'has ended')
      if (input.writableLength > maxMessageBytes) throw serverFailed(server, 'does not read its input')
      input.write(`${JSON.stringify(message)}\n`)
    },
    close() {
      isClosed = true
      closing ??= end()
      return closing
    },
  }

  async function end(): Promise<void> {
    const ended = child
    if (ended !== undefined && !ended.hasExited()) {
      ended.input?.end()
      await settlesWithin(ended.exited, GRACE_MS, clock)
      await ended.terminate({ graceMs: GRACE_MS })
    }
    transport.onclose?.()
  }

  function fail(failure: SvcError): void {
    if (isClosed) return
    isClosed = true
    child?.killNow()
    options.onFailed(failure)
    transport.onclose?.()
  }

  function onExit({ code, signal, lastLines }: Awaited<BackendProcess['exited']>): void {
    if (isClosed) return
    logger.warn({ server, code, signal, lastLines }, 'mcp server ended by itself')
    fail(serverFailed(server, signal === null ? `ended with the code ${code}` : `was ended by ${signal}`))
  }

  function onOutput(chunk: Uint8Array): void {
    if (isClosed) return
    const lines = reader.take(chunk)
    if (lines === undefined) fail(messageTooLarge(server, maxMessageBytes))
    for (const line of lines ?? []) onLine(line)
  }

  function onLine(line: Buffer): void {
    if (isClosed || line.length === 0) return
    if (!isReadable(line)) {
      fail(messageTooComplex(server))
      return
    }
    const message = readMessage(line)
    if (message !== undefined) deliver(message)
    else unreadable += 1
    if (unreadable > MAX_UNREADABLE) fail(serverFailed(server, 'writes something else than messages to its output'))
  }

  /** A fault of the library is the end of the program's session: here nothing else would catch it. */
  function deliver(message: JSONRPCMessage): void {
    try {
      transport.onmessage?.(message)
    } catch (error) {
      fail(serverFailed(server, 'sent a message that cannot be read', error))
    }
  }
  return transport
}

async function start(
  { server, command, args, cwd, env, clock }: StdioTransportOptions,
  onOutput: (chunk: Uint8Array) => void,
): Promise<BackendProcess> {
  const ring = createLogRing({ maxLines: KEPT_LINES, maxBytes: KEPT_BYTES })
  const process: ProcessOptions = { name: server, command, args, cwd, env, ring, clock, pipes: { onOutput } }
  try {
    return await startProcess(process)
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'internal') throw error
    const { cause } = error
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    throw serverFailed(server, `cannot be started${code}`, error)
  }
}

function readMessage(line: Buffer): JSONRPCMessage | undefined {
  try {
    const read = JSONRPCMessageSchema.safeParse(JSON.parse(line.toString('utf8')))
    return read.success ? read.data : undefined
  } catch {
    return undefined
  }
}

/** Cuts output into lines. */
interface LineReader {
  /** @returns the lines that the chunk completes; undefined once a line is longer than allowed */
  take(chunk: Uint8Array): readonly Buffer[] | undefined
}

function createLineReader(maxBytes: number): LineReader {
  let pieces: Uint8Array[] = []
  let bytes = 0
  return {
    take(chunk) {
      const lines: Buffer[] = []
      let start = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
        if (bytes + at - start > maxBytes) return undefined
        lines.push(Buffer.concat([...pieces, chunk.subarray(start, at)]))
        pieces = []
        bytes = 0
        start = at + 1
      }
      bytes += chunk.length - start
      if (bytes > maxBytes) {
        pieces = []
        return undefined
      }
      // A copy, because the chunk may be a slice of a larger read buffer.
      if (start < chunk.length) pieces.push(Uint8Array.from(chunk.subarray(start)))
      return lines
    },
  }
}
