import { installProgressSubject } from '../../cluster/contract/subjects.ts'
import type { ProgressReport } from '../../operations/progress-meter.ts'
import type { RequestParts } from './parts.ts'

/** Pause between two messages of one installation, milliseconds. */
const PAUSE_MS = 250
const MIB = 2 ** 20

/**
 * Tells a front end of the progress of an installation, at most once in 250 ms.
 *
 * @param operation the front end's id of the installation; nothing is sent without one
 */
export function createInstallProgress(
  { backend, operation }: { readonly backend: string; readonly operation: string },
  { publish, nodeId, clock }: Pick<RequestParts, 'publish' | 'nodeId' | 'clock'>,
): (report: ProgressReport) => void {
  let known: ProgressReport = {}
  let sentAt = Number.NEGATIVE_INFINITY
  return (report) => {
    known = { ...known, ...report }
    const now = clock.monotonic()
    if (operation === '' || now - sentAt < PAUSE_MS) return
    sentAt = now
    const { currentBytes, totalBytes, fileName, phase } = known
    publish(installProgressSubject(nodeId, operation), {
      op_id: operation,
      node_id: nodeId,
      backend,
      ...(fileName === undefined ? {} : { file_name: fileName }),
      ...(currentBytes === undefined ? {} : { current: toText(currentBytes) }),
      ...(totalBytes === undefined ? {} : { total: toText(totalBytes) }),
      percentage: toPercent(currentBytes, totalBytes),
      ...(phase === undefined ? {} : { phase }),
    })
  }
}

const toText = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`

const toPercent = (current = 0, total = 0): number => (total > 0 ? Math.min(100, (100 * current) / total) : 0)
