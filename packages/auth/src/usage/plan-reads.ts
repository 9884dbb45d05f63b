import type { UsageQuery } from '../ports/usage.ts'
import { DAY_MS, HOUR_MS, startOfBucket } from './buckets.ts'
import type { UsageSpan } from './sums.ts'

/** Sums or single records to be read for a report. */
export interface UsageRead {
  /** `record` reads single records. */
  readonly span: UsageSpan | 'record'
  /** Milliseconds since the epoch. */
  readonly from: number
  /** Exclusive; undefined means no end. */
  readonly to: number | undefined
  /** The bucket of everything that is read; undefined means that each sum has its own bucket. */
  readonly bucketStart: number | undefined
}

const FINER = { month: 'day', day: 'hour', hour: 'record' } as const

function findEnd(start: number, span: UsageSpan): number {
  if (span === 'hour') return start + HOUR_MS
  return span === 'day' ? start + DAY_MS : startOfBucket(start + 32 * DAY_MS, 'month')
}

/**
 * Plans the reads of a report: whole buckets by their sums, and the bucket that the period begins in by finer sums,
 * down to the single records of its first hour. Where the records may have been removed, and for a label, the whole hour
 * is read.
 *
 * @param prunedBefore single records before this time may be gone
 */
export function planReads(
  { bucket, since, label }: Pick<UsageQuery, 'bucket' | 'since' | 'label'>,
  prunedBefore: number,
): readonly UsageRead[] {
  if (since === undefined) return [{ span: bucket, from: 0, to: undefined, bucketStart: undefined }]
  const bucketStart = startOfBucket(since, bucket)
  const reads: UsageRead[] = []
  let to: number | undefined
  for (let span: UsageSpan | 'record' = bucket; ; span = FINER[span]) {
    const isWhole = to === undefined
    const at: Pick<UsageRead, 'to' | 'bucketStart'> = { to, bucketStart: isWhole ? undefined : bucketStart }
    if (span === 'record') return [...reads, { span, from: since, ...at }]
    const start = startOfBucket(since, span)
    const isCut = since > start && !(span === 'hour' && (prunedBefore > since || label !== undefined))
    if (!isCut) return [...reads, { span, from: start, ...at }]
    const end = findEnd(start, span)
    if (to === undefined || end < to) reads.push({ span, from: end, ...at })
    to = end
  }
}
