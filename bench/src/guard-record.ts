import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { GuardFigures } from './guard-verdict.ts'

/** Figures of a run that were committed, and where they were taken. */
export interface GuardRecord extends GuardFigures {
  readonly commit: string
  /** Day, as YYYY-MM-DD. */
  readonly day: string
  readonly node: string
  readonly processor: string
  /** Load of the machine, the average of a minute at the end. */
  readonly load: number
  readonly pairs: number
}

const FIGURES = ['chatUs', 'eventUs', 'startMs', 'load', 'pairs'] as const
const TEXTS = ['commit', 'day', 'node', 'processor'] as const

/**
 * Reads a record.
 *
 * @returns undefined where there is none
 * @throws {Error} where it is not a record
 */
export function readRecord(file: string): GuardRecord | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  return parseRecord(text, file)
}

/** Writes a record; the file is the old one until it is whole. */
export function writeRecord(file: string, record: GuardRecord): void {
  const own = `${file}.${process.pid}.tmp`
  writeFileSync(own, `${JSON.stringify(record, undefined, 2)}\n`)
  renameSync(own, file)
}

/** @throws {Error} where the text is not a record */
export function parseRecord(text: string, file: string): GuardRecord {
  const record = parseObject(text)
  const isRecord =
    record !== undefined &&
    FIGURES.every((name) => typeof record[name] === 'number') &&
    TEXTS.every((name) => typeof record[name] === 'string')
  if (!isRecord) throw new Error(`${file} does not hold the figures of a run: write it again with --write`)
  return record as unknown as GuardRecord
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
