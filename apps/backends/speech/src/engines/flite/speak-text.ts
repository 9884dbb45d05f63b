import { Worker } from 'node:worker_threads'
import { SpeechError } from '../../errors.ts'
import { findProgramFile } from '../child/program-file.ts'

/** One text to speak. */
export interface FliteJob {
  /** Printable ASCII and new lines, at most a few hundred characters. */
  readonly text: string
  /** Name of a voice that the engine has. */
  readonly voice: string
  /** Length of the sounds relative to the voice's own. */
  readonly stretch: number
}

/** Spoken samples. */
export interface Spoken {
  readonly sampleRate: number
  readonly samples: Int16Array
}

/** Time for one text. Real texts take less than a second. */
const DEADLINE_MS = 60_000

/**
 * Speaks a text in a thread of its own, which has ended when the promise settles.
 *
 * @throws SpeechError `timeout` after a minute, `internal` when the engine fails; the reason of the signal
 */
export async function speakText(module: WebAssembly.Module, job: FliteJob, signal: AbortSignal): Promise<Spoken> {
  signal.throwIfAborted()
  const worker = startWorker(module, job)
  const deadline = AbortSignal.timeout(DEADLINE_MS)
  const end = AbortSignal.any([signal, deadline])
  try {
    return readSpoken(await readMessage(worker, end))
  } catch (error) {
    if (deadline.aborted && !signal.aborted) throw new SpeechError('timeout', 'the engine took too long for a text')
    throw error
  } finally {
    await worker.terminate()
  }
}

function startWorker(module: WebAssembly.Module, job: FliteJob): Worker {
  return new Worker(findProgramFile('flite/flite-worker.mjs'), {
    workerData: { ...job, module },
    execArgv: [],
    env: {},
  })
}

/** Waits for the one message of a worker. */
function readMessage(worker: Worker, end: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(end.reason)
    if (end.aborted) leave()
    end.addEventListener('abort', leave, { once: true })
    const settle = (): void => end.removeEventListener('abort', leave)
    worker.once('message', (message: unknown) => {
      settle()
      resolve(message)
    })
    worker.once('error', (error) => {
      settle()
      reject(new SpeechError('internal', `the engine failed: ${error.message}`, { code: 'model_failed', cause: error }))
    })
    worker.once('exit', () => {
      settle()
      reject(new SpeechError('internal', 'the engine ended', { code: 'model_failed' }))
    })
  })
}

const HEADER_BYTES = 44

/** Reads the WAV file that the engine writes: 44 bytes of header, then 16-bit samples of one channel. */
function readSpoken(message: unknown): Spoken {
  if (!(message instanceof Uint8Array) || message.length < HEADER_BYTES) {
    const told = typeof message === 'string' ? message : 'the engine wrote no sound'
    throw new SpeechError('internal', told, { code: 'model_failed' })
  }
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  const count = (message.length - HEADER_BYTES) >> 1
  const samples = new Int16Array(count)
  for (let index = 0; index < count; index++) samples[index] = view.getInt16(HEADER_BYTES + 2 * index, true)
  return { sampleRate: view.getUint32(24, true), samples }
}
