import { Counter, Histogram, type Registry } from 'prom-client'
import type { PiiAuditEvent } from '../audit/audit-event.ts'
import { type HistogramExport, PlainSeries, toExport } from '../monitoring/plain-histogram.ts'

/** What the filter measures. */
export interface PiiMetrics {
  countEvents(entries: readonly PiiAuditEvent[]): void
  /** A request was refused because a detector could not be had. */
  countFailure(): void
  observeScan(seconds: number): void
}

const SCANS = {
  name: 'svc_pii_scan_seconds',
  help: 'Duration of the scan of a request by all its detectors, in seconds.',
  // From a short message under patterns to a long document under a model.
  buckets: [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
}

/** The histogram of scans. */
class ScanDurations extends Histogram {
  readonly series = new PlainSeries(SCANS.buckets)

  /** What both formats of the registry are made of, in place of what the library's own counting would give. */
  async getForPromString(): Promise<HistogramExport> {
    return toExport(SCANS, this.series.values(SCANS.name, {}))
  }
}

/** Makes the metrics on the server's registry. */
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
