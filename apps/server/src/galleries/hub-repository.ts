import { SvcError } from '@svc/errors'
import { hasDotSegment, hubCredentials, type UriServices } from '../downloads/resolve-uri.ts'
import { isSafeName } from '../files/safe-path.ts'
import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import { isFields } from './to-entry.ts'

/** A repository of the model hub. */
export interface HubRepository {
  /** The commit that the branch pointed at when it was read. */
  readonly revision: string
  /** The task that the hub names; empty for none. */
  readonly task: string
  /** The files in byte order of their paths. */
  readonly files: readonly HubFile[]
}

/** A file of a repository. */
export interface HubFile {
  readonly path: string
  /** Only large files have it. */
  readonly sha256?: string | undefined
  /** SHA-1 of the git blob; that of a large file is of its pointer. */
  readonly gitHash?: string | undefined
  readonly sizeBytes?: number | undefined
}

const FETCH_MS = 60_000
const MAX_BYTES = 16 * 1024 * 1024
const MAX_FILES = 20_000

/**
 * Reads the files of `owner/repo` from the API of the hub.
 *
 * @param parts.revision branch, tag or commit. @default 'main'
 * @throws {SvcError} `not_found`, code `repository_not_found`; `upstream_failed`, code `hub_failed`; of the client
 */
export async function readHubRepository(
  repository: string,
  {
    client,
    services,
    revision = 'main',
  }: { readonly client: OutboundClient; readonly services: () => UriServices; readonly revision?: string | undefined },
  signal: AbortSignal,
): Promise<HubRepository> {
  const found = services()
  const { hubUrl, hubTrust } = found
  if (hasDotSegment([...repository.split('/'), revision])) {
    throw new SvcError('invalid_request', `${repository} and ${revision} name no repository`, { code: 'invalid_uri' })
  }
  const path = repository.split('/').map(encodeURIComponent).join('/')
  await using reply = await client.fetch(
    `${hubUrl}/api/models/${path}/revision/${encodeURIComponent(revision)}?blobs=true`,
    {
      signal,
      trust: hubTrust,
      maxBytes: MAX_BYTES,
      timeoutMs: FETCH_MS,
      redirects: MAX_REDIRECTS,
      credentials: hubCredentials(found),
    },
  )
  if ([401, 403, 404].includes(reply.status)) {
    throw new SvcError('not_found', `the hub shows no repository ${repository}`, { code: 'repository_not_found' })
  }
  const value = reply.status === 200 ? await reply.json().catch(() => undefined) : undefined
  const siblings: unknown = isFields(value) ? value.siblings : undefined
  if (!isFields(value) || !Array.isArray(siblings) || typeof value.sha !== 'string') {
    throw new SvcError('upstream_failed', `the hub does not describe ${repository} (status ${reply.status})`, {
      code: 'hub_failed',
    })
  }
  if (!/^[0-9a-f]{40}$/.test(value.sha)) {
    throw new SvcError('upstream_failed', `the hub names no revision of ${repository}`, { code: 'hub_failed' })
  }
  if (siblings.length > MAX_FILES) {
    throw new SvcError('upstream_failed', `${repository} has more than ${MAX_FILES} files`, { code: 'hub_failed' })
  }
  return {
    revision: value.sha,
    task: typeof value.pipeline_tag === 'string' ? value.pipeline_tag : '',
    files: siblings.flatMap(toFile).sort((one, other) => (one.path < other.path ? -1 : 1)),
  }
}

function toFile(value: unknown): readonly HubFile[] {
  if (!isFields(value) || typeof value.rfilename !== 'string' || !isSafeName(value.rfilename)) return []
  const lfs = isFields(value.lfs) ? value.lfs : {}
  const sha256 = typeof lfs.sha256 === 'string' && /^[0-9a-f]{64}$/.test(lfs.sha256) ? lfs.sha256 : undefined
  const sizeBytes = typeof value.size === 'number' && Number.isSafeInteger(value.size) ? value.size : undefined
  const gitHash = typeof value.blobId === 'string' && /^[0-9a-f]{40}$/.test(value.blobId) ? value.blobId : undefined
  return [{ path: value.rfilename, sha256, gitHash, sizeBytes }]
}
