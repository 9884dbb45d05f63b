import { formatBytes } from '../galleries/memory-estimate.ts'

/** Progress of an installation. */
export interface Progress {
  readonly percent: number
  /** The file that is fetched, or the phase. */
  readonly label: string
  readonly currentBytes: number
  readonly totalBytes: number
  readonly bytesPerSecond?: number | undefined
  readonly secondsLeft?: number | undefined
}

const BAR = 24
const MAX_LABEL = 40

/** The progress of an installation as one line of a terminal. */
export function formatProgress(progress: Progress): string {
  const { percent, label, currentBytes, totalBytes, bytesPerSecond = 0, secondsLeft } = progress
  const share = totalBytes > 0 ? Math.min(1, currentBytes / totalBytes) : percent / 100
  const filled = Math.floor(share * BAR)
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}]`
  const isMoving = totalBytes > 0 && currentBytes < totalBytes
  return [
    shorten(label),
    bar,
    `${Math.floor(percent)} %`,
    ...(isMoving ? [`${formatBytes(currentBytes)} of ${formatBytes(totalBytes)}`] : []),
    ...(isMoving && bytesPerSecond > 0 ? [`${formatBytes(bytesPerSecond)}/s`] : []),
    ...(isMoving && secondsLeft !== undefined ? [formatLeft(secondsLeft)] : []),
  ].join('  ')
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
