import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { AudioError } from '../errors.ts'
import { type AudioPieces, abortable } from '../streams/abortable.ts'

/** A program that reads standard input and writes standard output. */
export interface ProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  /** The code of the error when the program reports a failure. */
  readonly failure: 'bad_audio' | 'converter_failed'
  /** Standard input; it is closed without. */
  readonly input?: AudioPieces | undefined
  readonly signal: AbortSignal
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const MAX_MESSAGE_BYTES = 4096

/**
 * Runs a program without a shell, in its own process group, and passes on its standard output. The whole group is
 * killed when the signal aborts, the time is over, the output is too long, the input fails, or the reader leaves.
 *
 * @throws AudioError `conversion_timeout`, `audio_limit`, `failure` if the program reports one,
 *   `converter_failed` if it cannot be started; the errors of the input; the signal's reason once it is aborted
 */
export async function* runProgram(options: ProgramOptions): AsyncGenerator<Uint8Array> {
  const { timeoutMs, maxOutputBytes, input, signal } = options
  signal.throwIfAborted()
  // Before the start: nothing may fail between it and the end that kills the program.
  const timeout = AbortSignal.timeout(timeoutMs)
  const child = await start(options)
  const failure = new AbortController()
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const stop = AbortSignal.any([signal, timeout, failure.signal])
  stop.addEventListener('abort', () => child.stdout.destroy(), { once: true })
  if (stop.aborted) child.stdout.destroy()
  const message = keepTail(child.stderr)
  const fed = feed(child.stdin, input, stop).catch((error: unknown) => failure.abort(error))
  let bytes = 0
  let isOver = false
  try {
    for await (const piece of child.stdout) {
      bytes += piece.length
      if (bytes > maxOutputBytes) {
        throw new AudioError('audio_limit', `the audio has more than ${maxOutputBytes} bytes after conversion`)
      }
      yield piece
    }
    throwStopped({ signal, timeout, failure: failure.signal })
    const code = await Promise.race([ended, whenAborted(stop)])
    throwStopped({ signal, timeout, failure: failure.signal })
    isOver = true
    if (code !== 0) throw toFailure(options.failure, message())
  } catch (error) {
    throwStopped({ signal, timeout, failure: failure.signal })
    throw error
  } finally {
    // The number of a group that has ended by itself may be that of another one.
    if (!isOver) killGroup(child)
    failure.abort()
    await fed
  }
}

async function start({ command, args, env }: ProgramOptions): Promise<Child> {
  try {
    const child = spawn(command, [...args], {
      cwd: '/',
      env: { ...env },
      detached: true,
      shell: false,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      // Stays for the life of the child: a later failure to signal it must not end this process.
      child.on('error', reject)
    })
    return child
  } catch (cause) {
    throw new AudioError('converter_failed', 'the audio converter cannot be started', { cause })
  }
}

/** Writes the input at the pace of the program. A program that reads no further is not a failure of the input. */
async function feed(stdin: Writable, input: AudioPieces | undefined, signal: AbortSignal): Promise<void> {
  // EPIPE: the program has ended, and its exit code tells why.
  stdin.on('error', () => undefined)
  if (input !== undefined) {
    for await (const piece of abortable(input, signal)) {
      if (stdin.destroyed) break
      if (!stdin.write(piece)) await drained(stdin)
    }
  }
  stdin.end()
}

/** Resolves when the pipe takes more, or is closed. */
function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stdin.off('drain', done)
      stdin.off('close', done)
      resolve()
    }
    stdin.on('drain', done)
    stdin.on('close', done)
    if (stdin.destroyed) done()
  })
}

/** Reads the pipe to its end, so that the program never waits, and keeps the last bytes. */
function keepTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0)
  stream.on('data', (piece: Buffer) => {
    tail = Buffer.concat([tail, piece]).subarray(-MAX_MESSAGE_BYTES)
  })
  stream.on('error', () => undefined)
  return () => tail.toString('utf8')
}

/** The messages name files and versions: they go to the log, never to a client. */
function toFailure(code: ProgramOptions['failure'], message: string): AudioError {
  const reason = code === 'bad_audio' ? 'cannot be decoded: it is damaged or of another type' : 'cannot be encoded'
  return new AudioError(code, `the audio ${reason}`, { cause: new Error(message.trim()) })
}

function throwStopped(signals: {
  readonly signal: AbortSignal
  readonly timeout: AbortSignal
  readonly failure: AbortSignal
}): void {
  signals.signal.throwIfAborted()
  // The input fails with the reason of the time limit too.
  if (signals.timeout.aborted) throw new AudioError('conversion_timeout', 'the conversion of the audio took too long')
  if (signals.failure.aborted) throw signals.failure.reason
}

function whenAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
}

function killGroup(child: Child): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of the group is left, or the system has no groups.
    child.kill('SIGKILL')
  }
}
