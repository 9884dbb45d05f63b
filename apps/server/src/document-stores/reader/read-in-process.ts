import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type BinaryReader, type BinaryType, DocumentError } from '@svc/documents'
import { SvcError } from '@svc/errors'
import { createTaskQueue } from '../../concurrency/task-queue.ts'
import { readOutput, tooLong } from './reader-output.ts'

/** What the process is to read. The document follows on its standard input. */
export interface ReaderTask {
  readonly type: BinaryType
  readonly fromSource: boolean
  readonly maxMemoryBytes: number
  readonly maxMs: number
}

/** Reads documents in processes of their own. */
export interface DocumentReader {
  /** As {@link BinaryReader}. An abort kills the process. @throws {SvcError} also `unavailable` when too many wait */
  readonly read: BinaryReader
  /** Kills all processes. */
  close(): Promise<void>
}

/** Bounds of a process. */
export interface ReaderLimits {
  /** Heap of JavaScript, MiB. @default 512 */
  readonly heapMiB?: number
  /** Resident memory of the process. @default 1 GiB */
  readonly maxMemoryBytes?: number
  /** @default 120000 */
  readonly maxMs?: number
  /** Bytes of the text. @default 128 MiB */
  readonly maxTextBytes?: number
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const MIB = 1024 * 1024
const [PROCESSES, WAITING] = [2, 64]
const MAX_NOTE_BYTES = 4096
/** The process ends itself by then; a process that cannot is killed. */
const GRACE_MS = 2000

/** Creates a reader without a process. Each document has one of its own, two at a time. */
export function createDocumentReader(limits: ReaderLimits = {}): DocumentReader {
  const queue = createTaskQueue({
    concurrency: PROCESSES,
    limit: WAITING,
    refusals: {
      busy: () => new SvcError('unavailable', 'too many documents wait to be read', { code: 'busy' }),
      closed: () => new SvcError('unavailable', 'the server stops', { code: 'stopping' }),
    },
  })
  return {
    read: (bytes, { type, signal }) =>
      queue.run((running) => readInProcess(bytes, { type, signal: running, limits }), { signal }),
    close: () => queue.close(),
  }
}

interface Reading {
  readonly type: BinaryType
  readonly signal: AbortSignal
  readonly limits: ReaderLimits
}

async function readInProcess(bytes: Uint8Array, { type, signal, limits }: Reading): Promise<string> {
  const { heapMiB = 512, maxMemoryBytes = 1024 * MIB, maxMs = 120_000, maxTextBytes = 128 * MIB } = limits
  signal.throwIfAborted()
  const { program, fromSource } = findProgram()
  const task: ReaderTask = { type, fromSource, maxMemoryBytes, maxMs }
  const child = await start([
    `--max-old-space-size=${heapMiB}`,
    ...(fromSource ? ['--conditions=@svc/source'] : []),
    program,
    JSON.stringify(task),
  ])
  const timeout = AbortSignal.timeout(maxMs + GRACE_MS)
  const stop = AbortSignal.any([signal, timeout])
  const kill = (): void => void child.kill('SIGKILL')
  stop.addEventListener('abort', kill, { once: true })
  if (stop.aborted) kill()
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  try {
    // A process that leaves early has written why.
    child.stdin.on('error', () => undefined).end(bytes)
    const note = keepTail(child.stderr)
    const output = await collect(child.stdout, maxTextBytes)
    await closed
    signal.throwIfAborted()
    if (timeout.aborted) throw tooLong(maxMs)
    return readOutput(output, note(), { maxMs })
  } finally {
    stop.removeEventListener('abort', kill)
    kill()
    await closed
  }
}

async function start(args: readonly string[]): Promise<Child> {
  // The process gets nothing of the environment: no keys, no options of Node.
  const child = spawn(process.execPath, [...args], { env: {}, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.on('error', (cause) => {
      reject(new SvcError('unavailable', 'the reader of documents cannot be started', { cause, code: 'reader_failed' }))
    })
  })
  return child
}

async function collect(stdout: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of stdout as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > maxBytes) throw new DocumentError('document_limit', `the text has more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function keepTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0)
  stream.on('data', (piece: Buffer) => {
    tail = Buffer.concat([tail, piece]).subarray(-MAX_NOTE_BYTES)
  })
  return () => tail.toString('utf8')
}

/** Finds the program beside this file, or in a folder beside the bundle. */
function findProgram(): { readonly program: string; readonly fromSource: boolean } {
  const fromSource = import.meta.url.endsWith('.ts')
  const name = fromSource ? './document-reader.mjs' : './document-reader/document-reader.js'
  const program = fileURLToPath(new URL(name, import.meta.url))
  if (!existsSync(program)) throw new Error(`${program} is missing from the installation`)
  return { program, fromSource }
}
