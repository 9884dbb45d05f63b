import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { SvcError } from '@svc/errors'
import type { CorpusStore } from '@svc/router/corpus'
import { createClosers } from '../platform/closers.ts'
import type { InferenceModule } from '../platform/compose-inference.ts'
import { openPlatform, type PlatformOptions } from '../platform/open-platform.ts'

const STOP_MS = 3_000

/** Works with the models of the models folder inside a command, beside a server that may run. */
export async function withInference<T>(
  options: PlatformOptions,
  { corpusStore, signal }: { readonly corpusStore?: CorpusStore | undefined; readonly signal: AbortSignal },
  work: (inference: InferenceModule) => Promise<T>,
): Promise<T> {
  const closers = createClosers()
  const dataPath = await mkdtemp(join(tmpdir(), 'svc-command-'))
  closers.push(() => rm(dataPath, { recursive: true, force: true }))
  try {
    // Data of its own: the folder of the server may be in use.
    const config = { ...options.config, dataPath, authDatabaseUrl: undefined }
    const platform = await openPlatform(
      { ...options, config, ...(corpusStore === undefined ? {} : { corpusStore }) },
      { listens: false, routes: () => [], unready: () => undefined, ownPort: () => undefined },
      closers,
    )
    closers.push(() => platform.backends.stop({ graceMs: STOP_MS }))
    const inference = await platform.inference.open()
    signal.throwIfAborted()
    return await work(inference)
  } finally {
    await closers.closeAll()
  }
}

/** The lines of a file, read as a stream. @throws {SvcError} when it cannot be opened */
export async function* readLines(file: string): AsyncGenerator<string, void, undefined> {
  const input = createReadStream(file)
  // A file that cannot be opened fails the reading; readline would end quietly.
  const opened = new Promise<void>((resolve, reject) => {
    input.once('open', () => resolve())
    input.once('error', (cause) => reject(refuseCommand(`${file} cannot be read: ${cause.message}`)))
  })
  await opened
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
}

/** A signal that aborts when the user interrupts the command. */
export function abortOnInterrupt(): AbortSignal {
  const controller = new AbortController()
  process.once('SIGINT', () => controller.abort(refuseCommand('interrupted')))
  return controller.signal
}

/** The end of a command that cannot do its work. */
export function refuseCommand(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'command_refused' })
}
