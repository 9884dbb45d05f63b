import { readFileSync } from 'node:fs'
import type { BuiltinName } from '../builtin-names.ts'

/** Whether a pattern is in the grammar. */
export interface VerdictRecord {
  readonly kind: 'verdict'
  readonly pattern: string
  readonly expected: 'accept' | 'reject' | 'open'
}

/** Matches of one pattern; offsets are UTF-8 bytes. */
export interface SpansRecord {
  readonly kind: 'spans'
  readonly group: string
  readonly pattern: string
  readonly text: string
  readonly min_len?: number
  readonly spans: readonly (readonly [number, number])[]
}

/** Findings of built-ins; offsets are UTF-8 bytes. */
export interface BuiltinRecord {
  readonly kind: 'builtin'
  readonly builtins: readonly BuiltinName[]
  readonly text: string
  readonly expected: readonly (readonly [number, number, string])[]
}

/** Matches in a document of several segments, by segment. */
export interface SegmentsRecord {
  readonly kind: 'segments'
  readonly segments: readonly string[]
  readonly pattern: string
  readonly expected: readonly (readonly (readonly [number, number])[])[]
}

type PatternRecord = VerdictRecord | SpansRecord | BuiltinRecord | SegmentsRecord

const lines = readFileSync(new URL('./patterns.jsonl', import.meta.url), 'utf8').split('\n').slice(1)

/** The records of one kind. */
export function listRecords<Kind extends PatternRecord['kind']>(kind: Kind): Extract<PatternRecord, { kind: Kind }>[] {
  const records = lines.filter((line) => line !== '').map((line): PatternRecord => JSON.parse(line))
  return records.filter((record): record is Extract<PatternRecord, { kind: Kind }> => record.kind === kind)
}

/** The offset in UTF-8 bytes of an offset in code units. */
export function byteOffset(text: string, at: number): number {
  return new TextEncoder().encode(text.slice(0, at)).length
}
