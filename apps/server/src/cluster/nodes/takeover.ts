import { SvcError } from '@svc/errors'
import { isSameHost } from '../contract/worker-address.ts'
import type { NodeLiveness } from './node-liveness.ts'
import type { NodeRecord } from './node-record.ts'
import type { CheckedRegistration } from './report.ts'

/** Age of a heartbeat up to which a worker counts as there although it does not answer, milliseconds. */
const SILENT_MS = 30_000
/** The same where it cannot be asked. */
const UNKNOWN_MS = 60_000

/**
 * Refuses the name of an approved worker to another machine while that worker is there. All workers have one registration
 * token, so the token alone does not say who comes: the worker that has the name must be gone. It is there as long as it
 * answers over the bus, whatever its row says, and for a while after its last heartbeat. Another port of the same host is
 * the same machine.
 *
 * @param answers whether the worker that has the name answers; undefined: it cannot be asked
 * @throws {SvcError} `conflict`, code `node_name_taken`
 */
export async function checkTakeover(
  known: NodeRecord,
  report: Pick<CheckedRegistration, 'address' | 'httpAddress'>,
  { answers, isFresh }: { readonly answers: boolean | undefined } & Pick<NodeLiveness, 'isFresh'>,
): Promise<void> {
  if (!known.isApproved) return
  const isSame = isSameHost(known.address, report.address) && isSameHost(known.httpAddress, report.httpAddress)
  if (isSame) return
  const ageMs = answers === undefined ? UNKNOWN_MS : SILENT_MS
  if (answers !== true && !(await isFresh(known.id, ageMs))) return
  const message = `another machine serves as "${known.name}": choose another --node-name, or come again ${ageMs / 1000} s after that one has ended`
  throw new SvcError('conflict', message, {
    code: 'node_name_taken',
    details: { type: 'node_error' },
    retryAfterMs: ageMs,
  })
}
