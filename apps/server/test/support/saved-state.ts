import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The id of a state that {@link writeSavedState} writes. */
export const SAVED_ID = '0123456789abcdef0123456789abcdef'

/** A state as the mock writes it. */
const STATE = JSON.stringify({ mock: 'slot', tokens: 7 })

/** Options of {@link writeSavedState}. */
export interface SavedStateOptions {
  /** @default {@link SAVED_ID} */
  readonly id?: string
  /** Other values in the record. */
  readonly record?: Readonly<Record<string, unknown>>
}

/**
 * Writes a saved state of a model whose `slot_save_path` is `slots`, with its record.
 *
 * @returns its folder
 */
export async function writeSavedState(
  modelsPath: string,
  model: string,
  { id = SAVED_ID, record = {} }: SavedStateOptions = {},
): Promise<string> {
  const folder = join(modelsPath, 'slots', model, id)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${id}.slot`), STATE)
  const facts = {
    id,
    model,
    file: `${id}.slot`,
    size: STATE.length,
    sha256: createHash('sha256').update(STATE).digest('hex'),
    mtime: '2026-11-29T12:00:00.000Z',
    tokens: 7,
    ...record,
  }
  await writeFile(join(folder, 'record.json'), JSON.stringify(facts))
  return folder
}
