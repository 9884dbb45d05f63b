import { SvcError } from '@svc/errors'
import type { UriServices } from '../downloads/resolve-uri.ts'
import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import { isFields } from './to-entry.ts'

const SCAN_MS = 10_000
const MAX_BYTES = 4 * 1024 * 1024

/**
 * Asks the model hub whether repositories hold unsafe files. A hub that does not answer stops nothing.
 *
 * @throws {SvcError} `forbidden`, code `unsafe_files`
 */
export async function checkScan(
  repositories: readonly string[],
  { client, services }: { readonly client: OutboundClient; readonly services: () => UriServices },
  signal: AbortSignal,
): Promise<void> {
  for (const repository of new Set(repositories)) {
    if (await hasUnsafeFile(repository, services(), client, signal)) {
      throw new SvcError('forbidden', `the model hub reports unsafe files in ${repository}`, { code: 'unsafe_files' })
    }
  }
}

async function hasUnsafeFile(
  repository: string,
  { hubUrl, hubTrust }: UriServices,
  client: OutboundClient,
  signal: AbortSignal,
): Promise<boolean> {
  const path = repository.split('/').map(encodeURIComponent).join('/')
  try {
    const limits = { maxBytes: MAX_BYTES, timeoutMs: SCAN_MS, redirects: MAX_REDIRECTS } as const
    await using reply = await client.fetch(`${hubUrl}/api/models/${path}/scan`, { signal, trust: hubTrust, ...limits })
    const found = reply.status === 200 ? await reply.json() : undefined
    return isFields(found) && found.hasUnsafeFile === true
  } catch {
    signal.throwIfAborted()
    return false
  }
}
