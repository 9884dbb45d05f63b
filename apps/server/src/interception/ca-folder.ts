import { join } from 'node:path'
import type { ServerConfig } from '../config/schema.ts'

/** Gives the folder of the authority of the intercepting proxy (§2.14). */
export function findCaFolder({ mitmCaDir, dataPath }: Pick<ServerConfig, 'mitmCaDir' | 'dataPath'>): string {
  return mitmCaDir ?? join(dataPath, 'mitm-ca')
}
