import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { createCaFolder, readAuthority } from '@svc/mitm'
import { formatAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { findCaFolder } from '../interception/ca-folder.ts'
import { formatClientAdvice } from '../interception/client-advice.ts'
import { print } from './terminal.ts'

/**
 * `svc mitm ca`: prints where the certificate of the authority is, its fingerprint, and how usual clients trust it. Makes
 * nothing.
 *
 * @throws {SvcError} when there is no authority yet, or it cannot be used
 */
export async function showAuthorityCommand(config: ServerConfig): Promise<void> {
  const folder = findCaFolder(config)
  const authority = await readAuthority({ store: createCaFolder(folder) })
  if (authority === undefined) {
    throw new SvcError(
      'not_found',
      `${folder} holds no authority yet: the first start with --mitm-listen 127.0.0.1:8888 makes it`,
      { code: 'mitm_authority_missing' },
    )
  }
  const { fingerprint, validUntil } = authority
  const proxy = config.mitmListen === undefined ? undefined : formatAddress(config.mitmListen)
  print(formatClientAdvice({ certificatePath: join(folder, 'ca.crt'), fingerprint, validUntil, proxy }))
}
