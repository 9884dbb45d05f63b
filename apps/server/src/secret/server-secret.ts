import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { StartRefused } from '../config/start-refused.ts'
import type { Database } from '../db/database.ts'
import { makeSecretFile, readSecretFile } from '../files/secret-file.ts'
import type { Clock } from '../ports.ts'
import { createSecretRows, toCheck } from './secret-rows.ts'

/** Name of the file in the data folder under whose content keys, sessions and invites are stored. */
const SECRET_FILE = '.hmac_secret'

/** The secret of a server, which its database knows by a check value. */
export interface ServerSecret {
  readonly value: string
  /** @throws {SvcError} `unavailable` once the database has another secret */
  check(): void
  /** Why the secret may not be used any more; undefined while it may. */
  fault(): string | undefined
  /** Looks whether the database still has this secret. @returns false when it has another one */
  look(): Promise<boolean>
}

/** The configuration of a secret. */
export interface SecretConfig {
  readonly authApiKeyHmacSecret?: string | undefined
  readonly dataPath: string
}

const ROTATE =
  'or run "svc secret rotate", which takes a new secret and ends every session, API key and invite (accounts and passwords stay)'
const REPLACED = 'the secret of the database was replaced while the server ran; restart it with the new one'

/** The file of a configuration's secret. */
export function secretPath({ dataPath }: SecretConfig): string {
  return join(dataPath, SECRET_FILE)
}

function lost(path: string): StartRefused {
  return new StartRefused(
    `the secret of the database is missing (${path}): put the file back from a copy, set SVC_AUTH_HMAC_SECRET where other servers of the database have it, ${ROTATE}`,
    { exitCode: 78 },
  )
}

function different(config: SecretConfig, hasRightFile: boolean): StartRefused {
  const path = secretPath(config)
  const isGiven = config.authApiKeyHmacSecret !== undefined
  const what = isGiven ? 'SVC_AUTH_HMAC_SECRET' : `the secret in ${path}`
  const remedy = hasRightFile
    ? `the one in ${path} is: leave the variable out`
    : isGiven
      ? 'set it to the secret that the database had before'
      : 'put the file back from a copy, or set SVC_AUTH_HMAC_SECRET where other servers of the database have it'
  return new StartRefused(`${what} is not the secret of the database: ${remedy}, ${ROTATE}`, { exitCode: 78 })
}

/**
 * Finds the secret under which a database stores keys, sessions and invites. A secret is made only with a new database:
 * with another one everything that is stored would be invalid in silence.
 *
 * @throws {StartRefused} exit code 78 for a missing secret and for one that the database does not know, with the remedy
 */
export async function openServerSecret(
  config: SecretConfig,
  { database, clock }: { readonly database: Database; readonly clock: Clock },
): Promise<ServerSecret> {
  const rows = createSecretRows(database)
  const path = secretPath(config)
  const known = await rows.readCheck()
  let value = config.authApiKeyHmacSecret ?? (await readSecretFile(path))
  if (value === undefined) {
    if (known !== undefined || (await rows.holdsHashes())) throw lost(path)
    value = await makeSecretFile(path)
  }
  const check = toCheck(value)
  // of servers that start together on a new database, the secret of one holds
  if (known === undefined) await rows.keepCheck(check, clock.now())
  const kept = known ?? (await rows.readCheck())
  if (kept !== check) throw different(config, await isFileRight(config, kept))
  let isReplaced = false
  return {
    value,
    check() {
      if (isReplaced) throw new SvcError('unavailable', REPLACED, { code: 'secret_replaced' })
    },
    fault: () => (isReplaced ? REPLACED : undefined),
    async look() {
      isReplaced ||= (await rows.readCheck()) !== check
      return !isReplaced
    },
  }
}

/** Whether the file has the right secret while the configuration gives another one. */
async function isFileRight(config: SecretConfig, check: string | undefined): Promise<boolean> {
  if (config.authApiKeyHmacSecret === undefined || check === undefined) return false
  const inFile = await readSecretFile(secretPath(config)).catch(() => undefined)
  return inFile !== undefined && toCheck(inFile) === check
}
