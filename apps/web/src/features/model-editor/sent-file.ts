import { useSyncExternalStore } from 'react'
import { sendModelFile } from './send-file.ts'

/** A file on its way to the server. */
export interface SentFile {
  readonly file: File
  /** Of the model; empty for the name of the file. */
  readonly name: string
  readonly sentBytes: number
  readonly startedAt: number
  readonly error?: unknown
  /** The model made from the file. */
  readonly model?: string
}

let current: SentFile | undefined
let abort: AbortController | undefined
const listeners = new Set<() => void>()

function change(next: SentFile | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

// the browser asks before it closes a page that sends a file
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/**
 * Sends a file. It goes on when its page is left; one file is sent at a time.
 *
 * @param onEnd called with the name of the model, or with nothing after a failure
 */
export async function startSending(
  file: File,
  name: string,
  onEnd: (model: string | undefined) => void,
): Promise<void> {
  const own = new AbortController()
  abort = own
  const sent: SentFile = { file, name, sentBytes: 0, startedAt: Date.now() }
  change(sent)
  addEventListener('beforeunload', askBeforeLeaving)
  try {
    const model = await sendModelFile(file, {
      name,
      signal: own.signal,
      onProgress: (sentBytes) => change({ ...sent, sentBytes }),
    })
    change({ ...sent, sentBytes: file.size, model })
    onEnd(model)
  } catch (error) {
    if (own.signal.aborted) return
    change({ ...sent, error })
    onEnd(undefined)
  } finally {
    removeEventListener('beforeunload', askBeforeLeaving)
  }
}

/** Gives a file up, or forgets one that has ended. */
export function endSending(): void {
  abort?.abort()
  abort = undefined
  change(undefined)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The file that is sent, or that was sent last. */
export function useSentFile(): SentFile | undefined {
  return useSyncExternalStore(subscribe, () => current)
}
