import { hash, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'

const FORM = /^[0-9a-f-]{36}$/

/**
 * The id of the server of a data folder, made at its first start. Servers that share a database tell their rows apart by
 * it.
 *
 * @throws {SvcError} `disk_full` or `file_failed`
 */
export async function readServerId(dataPath: string): Promise<string> {
  const path = join(dataPath, 'server-id')
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (readSystemCode(error) === 'ENOENT') return ''
    throw toFileError(error, 'read', path)
  })
  if (FORM.test(text.trim())) return text.trim()
  const id = randomUUID()
  await writeFileAtomic(path, `${id}\n`, { mode: 0o600 })
  return id
}

/** The name of a server in a models folder that several may share: of its uploads, snapshots and installations. */
export function hashWriter(serverId: string): string {
  return hash('sha256', serverId, 'hex').slice(0, 16)
}
