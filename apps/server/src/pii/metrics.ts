import { Counter, Histogram, type Registry } from 'prom-client'
import type { PiiAuditEvent } from '../audit/audit-event.ts'
import { type HistogramExport, PlainSeries, toExport } from '../monitoring/plain-histogram.ts'

/** Metrics of the filter. */
export interface PiiMetrics {
  countEvents(entries: readonly PiiAuditEvent[]): void
  /** Counts a request that was refused because a detector was unavailable. */
  countFailure(): void
  observeScan(seconds: number): void
}

const SCANS = {
  name: 'svc_pii_scan_seconds',
  help: 'Duration of the scan of a request by all its detectors, in seconds.',
  // From a short message with patterns to a long document with a model.
  buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
}

/** The histogram of scans. */
class ScanDurations extends Histogram {
  readonly series = new PlainSeries(SCANS.buckets)

  /** Both export formats of the registry read this; it replaces the library's own counting. */
  async getForPromString(): Promise<HistogramExport> {
    return toExport(SCANS, this.series.values(SCANS.name, {}))
  }
}

/** Creates the metrics on the server's registry. */
export function createPiiMetrics(registry: Registry): PiiMetrics {
  const events = new Counter({
    name: 'svc_pii_events_total',
    help: 'Events of the PII filter.',
    labelNames: ['kind', 'origin', 'action', 'direction'] as const,
    registers: [registry],
  })
  const failures = new Counter({
    name: 'svc_pii_fail_closed_total',
    help: 'Requests refused because a detector was unavailable.',
    registers: [registry],
  })
  const scans = new ScanDurations({ ...SCANS, registers: [registry] })
  return {
    countEvents(entries) {
      for (const { kind, origin, facts } of entries) {
        events.inc({ kind, origin, action: String(facts.action ?? ''), direction: 'in' })
      }
    },
    countFailure: () => failures.inc(),
    observeScan: (seconds) => scans.series.observe(seconds),
  }
}
