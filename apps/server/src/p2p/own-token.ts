import { readFile } from 'node:fs/promises'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { createKey, isKey, readToken, type TokenFacts } from './token.ts'

/**
 * Reads the token of the settings, or the key that this server has made for a network of its own. Without either it makes
 * one and keeps it.
 *
 * @param setting the token; empty or `0` without one
 * @throws {SvcError} `invalid_p2p_token`, or `disk_full` and `file_failed` for the file of the key
 */
export async function readOwnToken(setting: string, file: string): Promise<TokenFacts> {
  if (setting !== '' && setting !== '0') return readToken(setting)
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (isKey(kept)) return { key: kept, peers: [] }
  const key = createKey()
  await writeFileAtomic(file, `${key}\n`, { mode: 0o600 })
  return { key, peers: [] }
}
