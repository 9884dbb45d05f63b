import * as z from 'zod'
import type { WeightsIdentity } from '../catalog/weights-identity.ts'

/** Name of the record in the folder of a saved state. */
export const RECORD_FILE = 'record.json'
/** A real record has a few hundred bytes. */
export const MAX_RECORD_BYTES = 16 * 1024

const weights = z.object({ file: z.string(), size: z.int().min(0), mtime: z.iso.datetime() })

const slotRecord = z.object({
  id: z.string(),
  model: z.string(),
  /** Name of the file with the state. */
  file: z.string(),
  size: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Time of the last write to the file. */
  mtime: z.iso.datetime(),
  tokens: z.int().min(0),
  weights: weights.optional(),
})

/** The record beside a saved state. */
export type SlotRecord = z.infer<typeof slotRecord>

/** Gives the name of the file with a state. */
export const toStateFile = (id: string): string => `${id}.slot`

/** Reads the text of a record; undefined for any other text. */
export function parseSlotRecord(text: string): SlotRecord | undefined {
  try {
    return slotRecord.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Writes a record as text. */
export function formatSlotRecord(record: SlotRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`
}

/** Whether a state fits the weights that the model has now. An unknown identity fits all. */
export function fitsWeights({ weights: saved }: SlotRecord, now: WeightsIdentity | undefined): boolean {
  if (saved === undefined || now === undefined) return true
  return saved.file === now.file && saved.size === now.size && saved.mtime === now.mtime
}
