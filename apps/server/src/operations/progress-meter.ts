import type { OperationPhase, OperationProgress } from './operation.ts'
import { createTransferMeter, type TransferRate } from './transfer-rate.ts'

/** A part of the progress that the work has news of. */
export interface ProgressReport extends Partial<Omit<OperationProgress, 'percent'>> {
  /** Share of the whole, 0 to 100, for work whose bytes are not known. */
  readonly percent?: number | undefined
}

/** Share of fetching and checking in the whole. */
const DATA_PERCENT = 90
const COMMIT_PERCENT = 99

/** The progress of one operation: it never goes back. */
export interface ProgressMeter {
  readonly progress: OperationProgress
  report(report: ProgressReport, nowMs: number): void
  /** The speed of the data; empty while none is fetched. */
  readRate(nowMs: number): TransferRate
  done(message: string): void
}

/** Creates a meter at zero. */
export function createProgressMeter(message: string): ProgressMeter {
  let progress: OperationProgress = { percent: 0, message }
  const transfer = createTransferMeter()
  return {
    get progress() {
      return progress
    },
    report(report, nowMs) {
      const merged = { ...progress, ...report }
      if (merged.phase === 'Downloading' && report.receivedBytes !== undefined)
        transfer.add(report.receivedBytes, nowMs)
      const given = Math.min(report.percent ?? 0, COMMIT_PERCENT)
      progress = { ...merged, percent: Math.max(progress.percent, given, toPercent(merged)) }
    },
    readRate(nowMs) {
      return progress.phase === 'Downloading' ? transfer.read(nowMs, countMissing(progress)) : {}
    },
    done(text) {
      progress = { ...progress, percent: 100, phase: undefined, message: text }
    },
  }
}

function countMissing({ currentBytes = 0, totalBytes }: OperationProgress): number | undefined {
  return totalBytes === undefined || totalBytes < currentBytes ? undefined : totalBytes - currentBytes
}

const COMMITTING: ReadonlySet<OperationPhase> = new Set(['Finalizing', 'Saving configuration'])

function toPercent({ phase, currentBytes = 0, totalBytes = 0 }: Omit<OperationProgress, 'percent'>): number {
  if (phase !== undefined && COMMITTING.has(phase)) return COMMIT_PERCENT
  return totalBytes > 0 ? Math.min(DATA_PERCENT, (currentBytes / totalBytes) * DATA_PERCENT) : 0
}
