import type { CaStore } from '@svc/mitm'
import { createSealedDocuments } from '../cluster/shared-files/sealed-documents.ts'
import { createSharedAuthority } from '../cluster/shared-files/shared-authority.ts'
import type { Database } from '../db/database.ts'
import type { OpenRecords } from '../mcp/tool-servers.ts'
import type { Logger } from '../ports.ts'

/** Secrets that front ends share, sealed in their database. */
export interface Sealed {
  readonly openRecords: OpenRecords
  /** Joins the authority of this front end with the one of the others. */
  shareAuthority(local: CaStore): CaStore
}

/** Opens the sealed secrets of the front ends. */
export function openSealed({
  database,
  deriveKey,
  logger,
}: {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** Derives a key of 32 bytes from the secret of the front ends. */
  readonly deriveKey: (purpose: string) => Uint8Array
  readonly logger: Logger
}): Sealed {
  return {
    openRecords: (kind, { maxRecords }) =>
      createSealedDocuments({ database, kind, key: () => deriveKey(`records: ${kind}`), maxRecords, logger }),
    shareAuthority: (local) =>
      createSharedAuthority({ database, local, key: () => deriveKey('authority of the intercepting proxy'), logger }),
  }
}
