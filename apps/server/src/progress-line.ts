import { formatBytes } from './galleries/memory-estimate.ts'

/** How far an installation is. */
export interface Progress {
  readonly percent: number
  /** The file that is fetched, or the phase. */
  readonly label: string
  readonly currentBytes: number
  readonly totalBytes: number
}

/** Draws the progress of an installation as one line of a terminal. */
export interface ProgressLine {
  /** @param nowMs a clock that only goes forward */
  draw(progress: Progress, nowMs: number): string
}

const BAR = 24
/** The speed is that of the last seconds. */
const WINDOW_MS = 5000
const MAX_LABEL = 40

/** A line without a past. */
export function createProgressLine(): ProgressLine {
  let samples: readonly { readonly atMs: number; readonly bytes: number }[] = []

  function measureSpeed(bytes: number, nowMs: number): number {
    const [latest] = samples.slice(-1)
    // The data of a new file, or of a download that began again, says nothing of the speed.
    if (latest !== undefined && bytes < latest.bytes) samples = []
    samples = [...samples.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS), { atMs: nowMs, bytes }]
    const [first] = samples
    if (first === undefined || nowMs === first.atMs) return 0
    return ((bytes - first.bytes) / (nowMs - first.atMs)) * 1000
  }

  return {
    draw({ percent, label, currentBytes, totalBytes }, nowMs) {
      const share = totalBytes > 0 ? Math.min(1, currentBytes / totalBytes) : percent / 100
      const filled = Math.floor(share * BAR)
      const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}]`
      const speed = measureSpeed(currentBytes, nowMs)
      const isMoving = totalBytes > 0 && currentBytes < totalBytes
      return [
        shorten(label),
        bar,
        `${Math.floor(percent)} %`,
        ...(isMoving ? [`${formatBytes(currentBytes)} of ${formatBytes(totalBytes)}`] : []),
        ...(isMoving && speed > 0 ? [`${formatBytes(speed)}/s`, formatLeft((totalBytes - currentBytes) / speed)] : []),
      ].join('  ')
    },
  }
}

function shorten(label: string): string {
  return label.length <= MAX_LABEL ? label : `${label.slice(0, MAX_LABEL - 1)}…`
}

function formatLeft(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s left`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s left` : `${Math.floor(minutes / 60)} h ${minutes % 60} min left`
}
