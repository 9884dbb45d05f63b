import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { mintBusAccount } from '../cluster/nats/mint-account.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { printLine } from './terminal.ts'

const ENVIRONMENT_FILE = 'cluster.env'
const BUS_FILE = 'nats.conf'

/**
 * `svc cluster keys FOLDER`: writes the secrets of a new cluster as `cluster.env`, one variable in a line, and the
 * configuration of its NATS server as `nats.conf`. Only the owner can read them.
 *
 * @param folder absolute path; made where it is missing
 * @throws {SvcError} `file_exists` when one of the files is there: the secrets of a running cluster are not replaced
 */
export async function writeClusterKeys(folder: string): Promise<void> {
  const [environmentFile, busFile] = [join(folder, ENVIRONMENT_FILE), join(folder, BUS_FILE)]
  const present = [environmentFile, busFile].find((file) => existsSync(file))
  if (present !== undefined) {
    throw new SvcError('conflict', `${present} exists already: give another folder, or remove it`, {
      code: 'file_exists',
    })
  }
  const account = await mintBusAccount()
  const variables = {
    SVC_NATS_ACCOUNT_SEED: account.accountSeed,
    SVC_NATS_SERVICE_JWT: account.service.jwt,
    SVC_NATS_SERVICE_SEED: account.service.seed,
    SVC_REGISTRATION_TOKEN: createSecret(),
    SVC_AUTH_HMAC_SECRET: createSecret(),
    SVC_API_KEY: `sk-${createSecret()}`,
    POSTGRES_PASSWORD: createSecret(),
  }
  const environment = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`)
  const bus = `listen: 0.0.0.0:4222\nhttp: 127.0.0.1:8222\nmax_payload: 8MB\n${account.configuration}\n`
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFileAtomic(busFile, bus, { mode: 0o600 })
  await writeFileAtomic(environmentFile, environment.join(''), { mode: 0o600 })
  printLine(`wrote ${environmentFile} and ${busFile}: keep them secret, and with the backup`)
}

/** 192 bits, fit for a URL. */
const createSecret = (): string => randomBytes(24).toString('base64url')
