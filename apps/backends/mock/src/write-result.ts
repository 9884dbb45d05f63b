import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MockFile } from './script.ts'

/** Writes the file that a request names and returns success; without a name it only returns. */
export function writeResult(path: string, bytes: Uint8Array): { success: boolean; message: string } {
  if (path !== '') {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
  }
  return { success: true, message: 'written (mock)' }
}

/** Puts what a script says in the place of a written file. */
export function replaceResult(path: string, file: MockFile): void {
  if (path === '') return
  rmSync(path, { force: true })
  switch (file.as) {
    case 'nothing':
      return
    case 'empty':
      return writeFileSync(path, '')
    case 'folder':
      mkdirSync(path)
      return
    case 'link':
      return symlinkSync(file.to, path)
    case 'file':
      writeFileSync(path, Buffer.from(file.base64, 'base64'))
      if (file.bytes !== undefined) truncateSync(path, file.bytes)
  }
}
