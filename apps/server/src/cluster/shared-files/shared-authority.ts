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

  /** The pair, and the version of its document: 0 where there is none. */
  async function readShared(): Promise<{ readonly pair: Pair | undefined; readonly version: number }> {
    const found = await documents.read(NAME)
    if (found === undefined) return { pair: undefined, version: 0 }
    try {
      return { pair: JSON.parse(unseal(Buffer.from(found.content, 'base64'), key())), version: found.version }
    } catch {
      logger.warn({}, 'the authority of the cluster cannot be read with the secret of this server; it is replaced')
      return { pair: undefined, version: found.version }
    }
  }
  async function share({ certificate, key: privateKey }: Pair): Promise<void> {
    const { pair, version: over } = await readShared()
    if (pair !== undefined) return
    const text = JSON.stringify({ certificate, key: privateKey })
    await documents.write(NAME, seal(text, key()).toString('base64'), { over })
  }

  return {
    async read() {
      const own = await local.read()
      if (own !== undefined) await share(own)
      const { pair: shared } = await readShared()
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
