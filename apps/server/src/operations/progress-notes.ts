import type { Clock, Logger } from '../ports.ts'
import type { Entry } from './entry.ts'
import type { OperationStore } from './operation-store.ts'

/** Bytes that count as progress. */
const PROGRESS_BYTES = 64 * 1024
/** Time between two notes of the progress of one operation, milliseconds. */
const NOTE_MS = 250

/** Stores how far resumed installations got, so that a restart knows whether they make progress. */
export interface ProgressNotes {
  /** Stores the progress of a resumed installation, where no run before got so far. */
  note(entry: Entry): void
  /** Ends the notes of an operation. Resolves when the last one is written: a later one would take its end back. */
  end(entry: Entry): Promise<void>
}

/** Creates the notes of a queue. */
export function createProgressNotes({
  store,
  clock,
  logger,
  closing,
}: {
  readonly store: Pick<OperationStore, 'save'>
  readonly clock: Pick<Clock, 'sleep'>
  readonly logger: Logger
  /** Aborts when the queue closes. */
  readonly closing: AbortSignal
}): ProgressNotes {
  function note(entry: Entry): void {
    const { operation, meter } = entry
    const bytes = meter.progress.currentBytes ?? 0
    if (entry.notes.isBusy || entry.notes.isEnded || operation.resumes === undefined) return
    if (bytes < operation.resumes.bytes + PROGRESS_BYTES) return
    entry.operation = { ...operation, resumes: { count: 0, bytes } }
    entry.notes.isBusy = true
    entry.notes.written = store.save(entry.operation).catch((error: unknown) => {
      logger.warn({ err: error, jobId: operation.jobId }, 'the progress of an operation could not be stored')
    })
    void noteLater(entry)
  }

  /** The last report before a crash may be the last of all: it is stored too. */
  async function noteLater(entry: Entry): Promise<void> {
    const signal = AbortSignal.any([closing, entry.stop.signal])
    await entry.notes.written
    await clock.sleep(NOTE_MS, { signal }).catch(() => undefined)
    if (signal.aborted || entry.notes.isEnded) return
    entry.notes.isBusy = false
    note(entry)
  }

  return {
    note,
    async end({ notes }) {
      notes.isEnded = true
      await notes.written
    },
  }
}
