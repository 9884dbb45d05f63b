import { mkdir } from 'node:fs/promises'
import { MEMORY_DATABASE } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { StartRefused } from '../config/start-refused.ts'
import { memoryOfServer, openDatabase } from '../db/open-database.ts'
import { lockDataPath } from '../files/file-lock.ts'
import { replaceSecretFile } from '../files/secret-file.ts'
import type { Clock, Logger } from '../ports.ts'
import { createSecretRows, toCheck } from './secret-rows.ts'
import { secretPath } from './server-secret.ts'

/** Options of {@link rotateSecret}. */
export interface RotateOptions {
  readonly config: ServerConfig
  /** The version of the server, as `/version` shows it. */
  readonly version: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Gives a database a new secret: the configured one, else one that is made and put into the file. Sessions, keys and
 * invites end, since nothing but the secret before can prove them. No server may run with the data folder meanwhile.
 *
 * @returns the text for standard output
 * @throws {StartRefused} exit code 75 while a server runs; 78 when the configured secret is the one before
 */
export async function rotateSecret({ config, version, clock, logger }: RotateOptions): Promise<string> {
  if (config.authDatabaseUrl === MEMORY_DATABASE) throw memoryOfServer()
  await mkdir(config.dataPath, { recursive: true, mode: 0o700 })
  await using _lock = await lockDataPath(config.dataPath, { clock })
  const { authDatabaseUrl: url, dataPath } = config
  await using database = await openDatabase({ url, dataPath, appVersion: version, logger, clock })
  const rows = createSecretRows(database)
  const given = config.authApiKeyHmacSecret
  if (given !== undefined && (await rows.readCheck()) === toCheck(given))
    throw new StartRefused('SVC_AUTH_HMAC_SECRET is the secret of the database: set it to a new one first', {
      exitCode: 78,
    })
  // a kill behind this leaves a file that the database does not know: the next start says so, and this command mends it
  const secret = given ?? (await replaceSecretFile(secretPath(config)))
  const { sessions, apiKeys, invites } = await rows.changeSecret(toCheck(secret), clock.now())
  const where = given === undefined ? secretPath(config) : 'SVC_AUTH_HMAC_SECRET'
  return `the database has the new secret of ${where}\nended: sessions ${sessions}, API keys ${apiKeys}, invites ${invites}\n`
}
