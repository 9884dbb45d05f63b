import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes the file that a request names and returns success; without a name it only returns. */
export function writeResult(path: string, bytes: Uint8Array): { success: boolean; message: string } {
  if (path !== '') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  return { success: true, message: 'written (mock)' }
}
