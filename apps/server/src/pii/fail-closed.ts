import { SvcError } from '@svc/errors'
import { piiUnavailable } from '@svc/pii/errors'
import type { AuditSink } from '../audit/audit-event.ts'
import { createUnavailableEntry, type Occasion } from './entries.ts'
import type { PiiMetrics } from './metrics.ts'

/**
 * Converts a failed scan to an error. An unavailable detector is counted, and its event is written before the refusal;
 * other failures stay unchanged.
 */
export async function failClosed(
  error: unknown,
  occasion: Occasion,
  { events, metrics }: { readonly events: AuditSink; readonly metrics: PiiMetrics },
): Promise<unknown> {
  if (!SvcError.is(error) || error.code !== 'pii_ner_unavailable') return error
  const entries = [createUnavailableEntry(occasion)]
  metrics.countFailure()
  metrics.countEvents(entries)
  const [id] = events.record(entries)
  await events.flush().catch(() => undefined)
  const failures = error.details?.failures
  return piiUnavailable(Array.isArray(failures) ? failures : [], {
    correlation_id: occasion.correlationId,
    pii_event_id: id,
  })
}
