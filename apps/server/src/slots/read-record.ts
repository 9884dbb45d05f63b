import { SvcError } from '@svc/errors'
import { openInside } from '../files/safe-path.ts'
import { MAX_RECORD_BYTES, parseSlotRecord, RECORD_FILE, type SlotRecord } from './slot-record.ts'

/**
 * Reads the record in the folder of a saved state; undefined for a text that is not a record.
 *
 * @throws {SvcError} as {@link openInside}; `not_found` where there is no record
 */
export async function readRecord(folder: string, id: string): Promise<SlotRecord | undefined> {
  const handle = await openInside(folder, `${id}/${RECORD_FILE}`, { what: 'record' })
  try {
    const { size } = await handle.stat()
    return size > MAX_RECORD_BYTES ? undefined : parseSlotRecord(await handle.readFile('utf8'))
  } finally {
    await handle.close()
  }
}

/** Whether a folder is a saved state: it has a record of its own. Any other folder may be that of an operator. */
export async function isSavedState(folder: string, id: string): Promise<boolean> {
  const record = await readRecord(folder, id).catch((error: unknown) => {
    if (!SvcError.is(error)) throw error
  })
  return record?.id === id
}
