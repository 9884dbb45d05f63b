import type { UsageRecord } from '../ports/usage.ts'
import { startOfBucket } from './buckets.ts'
import { sumRecords, type UsageSum } from './sums.ts'

/** The label of end users. */
export const END_USER_LABEL = 'end_user'
/** Value of everything that came after the most values of a day. Names of tags have no brackets. */
export const OTHER_VALUE = '(other)'
/** Values of one label that a day keeps apart. */
const DEFAULT_MAX_LABEL_VALUES = 1000
/** Names of tags that a day keeps apart. */
const MAX_TAG_NAMES = 50
const TAG_NAMES = 'tag'

/** The label of a tag. */
export const toTagLabel = (name: string): string => `tag:${name}`

/** Sums of one hour, day or month of the records with a label's value. */
export interface LabelSum extends UsageSum {
  /** `end_user`, or `tag:` with the name of a tag. */
  readonly label: string
  readonly value: string
}

/** Values of a label that records of a day have. */
export interface WantedValues {
  /** Start of the day, milliseconds since the epoch. */
  readonly day: number
  readonly label: string
  readonly values: ReadonlySet<string>
  /** The most values that the day keeps apart. */
  readonly max: number
}

/** Keeps values up to the most of a day. A value that is kept once stays for the day. @returns those that are kept */
export type KeepValues = (wanted: WantedValues) => Promise<ReadonlySet<string>>

type Values = Map<string, { readonly day: number; readonly label: string; readonly values: Set<string> }>

const toKey = (day: number, label: string): string => `${day} ${label}`

function want(wanted: Values, { day, label, value }: { day: number; label: string; value: string }): void {
  const key = toKey(day, label)
  const known = wanted.get(key)
  if (known === undefined) wanted.set(key, { day, label, values: new Set([value]) })
  else known.values.add(value)
}

async function keepAll(
  wanted: Values,
  max: number,
  keep: KeepValues,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const kept = new Map<string, ReadonlySet<string>>()
  // one order for all writers
  for (const [key, values] of [...wanted].sort(([left], [right]) => (left < right ? -1 : 1)))
    kept.set(key, await keep({ ...values, max }))
  return kept
}

const hasLabels = ({ endUser = '', tags }: UsageRecord): boolean =>
  endUser !== '' || (tags !== undefined && Object.keys(tags).length > 0)

/**
 * The sums of records by their end users and tags. A day keeps `maxValues` values of each label apart, and the names of
 * 50 tags; what comes later counts under {@link OTHER_VALUE}.
 */
export async function sumLabels(
  records: readonly UsageRecord[],
  {
    maxValues = DEFAULT_MAX_LABEL_VALUES,
    keep,
  }: { readonly maxValues?: number | undefined; readonly keep: KeepValues },
): Promise<readonly LabelSum[]> {
  const labelled = records.filter(hasLabels)
  if (labelled.length === 0) return []
  const dayOf = ({ createdAt }: UsageRecord): number => startOfBucket(createdAt, 'day')
  const names: Values = new Map()
  for (const record of labelled)
    for (const name of Object.keys(record.tags ?? {}))
      want(names, { day: dayOf(record), label: TAG_NAMES, value: name })
  const keptNames = await keepAll(names, Math.min(MAX_TAG_NAMES, maxValues), keep)
  const toLabels = (record: UsageRecord): (readonly [label: string, value: string])[] => {
    const known = keptNames.get(toKey(dayOf(record), TAG_NAMES))
    const labels = new Map<string, string>()
    if (record.endUser !== undefined && record.endUser !== '') labels.set(END_USER_LABEL, record.endUser)
    for (const [name, value] of Object.entries(record.tags ?? {})) {
      if (known?.has(name) === true) labels.set(toTagLabel(name), value)
      else labels.set(toTagLabel(OTHER_VALUE), OTHER_VALUE)
    }
    return [...labels]
  }
  const pairs = labelled.flatMap((record) =>
    toLabels(record).map(([label, value]) => ({ record, day: dayOf(record), label, value })),
  )
  const values: Values = new Map()
  for (const pair of pairs) if (pair.value !== OTHER_VALUE) want(values, pair)
  const kept = await keepAll(values, maxValues, keep)
  const parts = new Map<string, { readonly label: string; readonly value: string; readonly records: UsageRecord[] }>()
  for (const { record, day, label, value: given } of pairs) {
    const value = kept.get(toKey(day, label))?.has(given) === true ? given : OTHER_VALUE
    const key = JSON.stringify([label, value])
    const part = parts.get(key)
    if (part === undefined) parts.set(key, { label, value, records: [record] })
    else part.records.push(record)
  }
  return [...parts]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, { label, value, records: own }]) => sumRecords(own).map((sum) => ({ ...sum, label, value })))
}
