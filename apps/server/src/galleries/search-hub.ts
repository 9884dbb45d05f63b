import { SvcError } from '@svc/errors'
import { hubCredentials, type UriServices } from '../downloads/resolve-uri.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { isFields } from './to-entry.ts'

/** A repository of the model hub that a search found. */
export interface FoundRepository {
  /** Such as `owner/repo`. */
  readonly id: string
  /** The task that the hub names; empty for none. */
  readonly task: string
  readonly downloads: number
  readonly likes: number
}

const SEARCH_MS = 15_000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_FOUND = 20
const REPOSITORY = /^[\w.-]{1,96}\/[\w.-]{1,96}$/

/**
 * Searches the model hub for repositories with GGUF files, the most fetched ones first.
 *
 * @throws {SvcError} `upstream_failed`, code `hub_failed`; of the client
 */
export async function searchHub(
  words: string,
  { client, services }: { readonly client: OutboundClient; readonly services: () => UriServices },
  signal: AbortSignal,
): Promise<readonly FoundRepository[]> {
  const found = services()
  const { hubUrl, hubTrust } = found
  const query = new URLSearchParams({ search: words, filter: 'gguf', sort: 'downloads', limit: String(MAX_FOUND) })
  await using reply = await client.fetch(`${hubUrl}/api/models?${query}`, {
    signal,
    trust: hubTrust,
    maxBytes: MAX_BYTES,
    timeoutMs: SEARCH_MS,
    redirects: 3,
    credentials: hubCredentials(found),
  })
  const value: unknown = reply.status === 200 ? await reply.json().catch(() => undefined) : undefined
  if (!Array.isArray(value)) {
    throw new SvcError('upstream_failed', `the hub does not answer the search (status ${reply.status})`, {
      code: 'hub_failed',
    })
  }
  return value.flatMap(toFound).slice(0, MAX_FOUND)
}

function toFound(value: unknown): FoundRepository[] {
  if (!isFields(value) || typeof value.id !== 'string' || !REPOSITORY.test(value.id)) return []
  const count = (field: unknown): number => (typeof field === 'number' && Number.isFinite(field) ? field : 0)
  const { id, pipeline_tag: task, downloads, likes } = value
  return [{ id, task: typeof task === 'string' ? task : '', downloads: count(downloads), likes: count(likes) }]
}
