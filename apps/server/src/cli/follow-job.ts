import { SvcError } from '@svc/errors'
import { systemClock } from '../clock.ts'
import { formatProgress } from './progress-line.ts'
import { type Fields, type ServerClient, toFields, toServerError } from './remote-client.ts'
import { printError, printErrorLine, printJson, printLine, redrawLine } from './terminal.ts'

/** A job of a server. */
export interface FollowedJob {
  readonly path: string
  readonly id: string
}

const POLL_MS = 300

/**
 * Shows the progress of a job on stderr until it has ended, and its end on stdout. Ctrl-C pauses it.
 *
 * @throws {SvcError} where it failed, code `paused` where Ctrl-C paused it
 */
export async function followJob(
  server: ServerClient,
  { path, id }: FollowedJob,
  { json }: { readonly json: boolean },
): Promise<void> {
  const interrupted = new AbortController()
  const interrupt = (): void => interrupted.abort()
  process.once('SIGINT', interrupt)
  const show = json ? showNothing : process.stderr.isTTY ? createBar() : createLines()
  try {
    for (;;) {
      const job = toFields(await server.get(path))
      show(job)
      if (job.processed === true) return finish(job, { json })
      await systemClock.sleep(POLL_MS, { signal: interrupted.signal }).catch(() => undefined)
      if (!interrupted.signal.aborted) continue
      await server.post(`/api/operations/${id}/pause`)
      throw new SvcError('cancelled', 'paused: the same command goes on where it stopped', { code: 'paused' })
    }
  } finally {
    process.off('SIGINT', interrupt)
  }
}

function finish(job: Fields, { json }: { readonly json: boolean }): void {
  if (process.stderr.isTTY && !json) printError('\n')
  if (json) printJson(job)
  if (job.error !== undefined) throw toServerError(String(job.error))
  if (!json) printLine(String(job.message))
}

function showNothing(): void {}

function createBar(): (job: Fields) => void {
  let shown = ''
  return (job) => {
    const label = toLabel(job)
    // Every file and phase keeps its last line.
    if (shown !== '' && shown !== label) printError('\n')
    shown = label
    const [currentBytes, totalBytes] = [Number(job.current_bytes ?? 0), Number(job.total_bytes ?? 0)]
    const [bytesPerSecond, secondsLeft] = [toNumber(job.bytes_per_second), toNumber(job.seconds_left)]
    const percent = Number(job.progress)
    redrawLine(formatProgress({ label, percent, currentBytes, totalBytes, bytesPerSecond, secondsLeft }))
  }
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function createLines(): (job: Fields) => void {
  let shown = ''
  return (job) => {
    const line = `${Math.floor(Number(job.progress))} % ${toLabel(job)}`
    if (line !== shown) printErrorLine(line)
    shown = line
  }
}

function toLabel({ file_name: file, phase, message }: Fields): string {
  const isFetching = phase === 'Downloading' && typeof file === 'string' && file !== ''
  return isFetching ? file : String(phase ?? message ?? '')
}
