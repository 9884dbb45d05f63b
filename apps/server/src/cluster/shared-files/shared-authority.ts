import type { CaStore } from '@svc/mitm'
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../ports.ts'
import { seal, unseal } from '../../secret/seal.ts'
import { createSharedDocuments } from './shared-documents.ts'

/** Options of {@link createSharedAuthority}. */
export interface SharedAuthorityOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** The authority that this front end had on its own. */
  readonly local: CaStore
  /** 32 bytes. */
  readonly key: () => Uint8Array
  readonly logger: Logger
}

type Pair = NonNullable<Awaited<ReturnType<CaStore['read']>>>

const NAME = 'authority'

/**
 * Keeps the authority of the intercepting proxy for all front ends, sealed in their database. The first front end that
 * has one gives it to the others, and the folder of each gets a copy where it has none.
 */
export function createSharedAuthority({ database, local, key, logger }: SharedAuthorityOptions): CaStore {
  const documents = createSharedDocuments(database, 'authority')
  let hasWarned = false

  async function readShared(): Promise<Pair | undefined> {
    const found = await documents.read(NAME)
    return found === undefined ? undefined : JSON.parse(unseal(Buffer.from(found.content, 'base64'), key()))
  }
  async function share({ certificate, key: privateKey }: Pair): Promise<void> {
    const text = JSON.stringify({ certificate, key: privateKey })
    await documents.write(NAME, seal(text, key()).toString('base64'), { over: 0 })
  }

  return {
    async read() {
      const own = await local.read()
      if (own !== undefined) await share(own)
      const shared = await readShared()
      if (shared === undefined) return undefined
      if (own === undefined) await local.create(shared)
      else if (own.certificate.trim() !== shared.certificate.trim() && !hasWarned) {
        hasWarned = true
        logger.warn({}, 'the authority in the folder of this server is not the one of the cluster, which counts')
      }
      return shared
    },
    create: share,
  }
}
