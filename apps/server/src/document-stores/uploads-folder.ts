import { join } from 'node:path'
import type { ServerConfig } from '../config/schema.ts'

/** The folder of a server's uploaded files. */
export function findUploadsFolder({ dataPath }: Pick<ServerConfig, 'dataPath'>): string {
  return join(dataPath, 'uploaded-files')
}
