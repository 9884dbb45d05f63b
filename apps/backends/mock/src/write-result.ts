import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes the file a request names and answers that it did; without a name it only answers. */
export function writeResult(path: string, bytes: Uint8Array): { success: boolean; message: string } {
  if (path !== '') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  return { success: true, message: 'written (mock)' }
}
