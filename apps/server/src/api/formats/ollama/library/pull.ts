import {
  isPending,
  type Operation,
  type OperationProgress,
  type OperationView,
} from '../../../../operations/operation.ts'
import type { Operations } from '../../../../operations/operations.ts'

/** A line of the progress of a pull. */
export type PullLine =
  | { readonly status: string; readonly digest?: string; readonly total?: number; readonly completed?: number }
  | { readonly error: string }

const STATUS: Readonly<Record<string, string>> = {
  'Resolving files': 'pulling manifest',
  Verifying: 'verifying sha256 digest',
  Finalizing: 'writing manifest',
  'Saving configuration': 'writing manifest',
}

/**
 * The progress of an installation as clients of this format show it, to its end.
 *
 * @throws the signal's reason
 */
export async function* followPull(
  operations: Pick<Operations, 'find' | 'waitForChange'>,
  { jobId }: Operation,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<PullLine, void, undefined> {
  let last = ''
  for (;;) {
    const view = await operations.find(jobId)
    const line = view === undefined ? { error: 'the installation is gone' } : toLine(view)
    const text = JSON.stringify(line)
    if (text !== last) yield line
    last = text
    if (view === undefined || !isPending(view)) return
    await operations.waitForChange(jobId, view.progress, { signal })
  }
}

function toLine({ state, error, progress }: OperationView): PullLine {
  if (state === 'completed') return { status: 'success' }
  if (state === 'cancelled' || state === 'paused') return { error: 'the installation was cancelled' }
  if (state === 'failed' || state === 'dismissed') return { error: error ?? 'unknown reason' }
  return toProgress(progress)
}

function toProgress({ phase = 'Resolving files', fileName, currentBytes, totalBytes }: OperationProgress): PullLine {
  const status = STATUS[phase]
  if (status !== undefined) return { status }
  return {
    status: `pulling ${fileName ?? 'files'}`,
    // Clients draw one bar for each digest.
    digest: fileName ?? 'files',
    total: totalBytes ?? 0,
    completed: currentBytes ?? 0,
  }
}
