import { lstat, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import { chooseByCapability } from '../backends/capability.ts'
import { toFileError } from '../files/file-error.ts'
import { checkName, toFileName } from '../files/safe-path.ts'
import type { PullOptions } from '../oci/pull-image.ts'
import type { OperationWork } from '../operations/operations.ts'
import { keepsData } from '../operations/stopped-operation.ts'
import type { Clock } from '../ports.ts'
import { type BackendMetadata, listBackendFolders, swapFolder, writeMetadata } from './backend-folder.ts'
import { type BackendFetch, type BackendFetcherParts, fetchBackend } from './fetch-backend.ts'
import { type BackendEntry, isMetaBackend, type Listed } from './gallery.ts'
import { describeUnread, type GalleryIndexes } from './gallery-indexes.ts'
import type { OldCopies } from './old-copies.ts'
import { readSignaturePolicy } from './signature-policy.ts'
import type { SignatureVerifier } from './verify-image.ts'

/** A request to install a backend. */
export interface BackendRequest {
  /** Id of an entry: `name` or `gallery@name`. */
  readonly id?: string | undefined
  /** Address of an image, where no entry is named. */
  readonly uri?: string | undefined
  readonly name?: string | undefined
  readonly alias?: string | undefined
  /** Installs it again where it is here already. @default false */
  readonly force?: boolean | undefined
}

/** Parts of {@link installBackend}. */
export interface BackendInstallerParts extends BackendFetcherParts {
  readonly backendsPath: string
  readonly systemPath: string
  readonly indexes: GalleryIndexes<BackendEntry>
  readonly capability: () => Promise<string>
  readonly tags: BackendTags
  /** Undefined without a trust root. */
  readonly signatures: SignatureVerifier | undefined
  /** Whether images without a signer are refused. */
  readonly requiresIntegrity: boolean
  readonly clock: Clock
  /** Takes over folders that were replaced. */
  readonly oldCopies: OldCopies
}

/** Words in tags of images and names of entries. */
export interface BackendTags {
  /** Begins the tag of a release: `latest`. */
  readonly release: string
  /** Begins the tag of a development build: `master`. */
  readonly branch: string
  /** Ends the name of a development entry. */
  readonly developmentSuffix: string
  readonly prefersDevelopment: () => boolean
}

const STAGING = '.staging'

/**
 * Installs a backend, and for a meta backend the one that it leads to on this machine.
 *
 * @returns the names that now resolve
 */
export async function installBackend(
  request: BackendRequest,
  work: OperationWork,
  parts: BackendInstallerParts,
): Promise<readonly string[]> {
  work.report({ phase: 'Resolving files', message: 'resolving files' })
  const { jobId: job } = work
  if (request.id === undefined) return installImage({ ...externalSource(request), job }, request, work, parts)
  const listed = await parts.indexes.find(request.id, { signal: work.signal })
  if (listed === undefined) {
    const reason = describeUnread(parts.indexes.states())
    throw new SvcError('not_found', `no backend found with name "${request.id}"${reason}`, {
      code: 'backend_not_found',
    })
  }
  if (!isMetaBackend(listed.entry)) return installImage({ ...toSource(listed), job }, request, work, parts)
  const concrete = await findConcrete(listed, parts, work.signal)
  const installed = await installImage(toSource(concrete), request, work, parts)
  await writeMeta(listed.entry.name, { ...toSource(concrete), job }, parts)
  return [listed.entry.name, ...installed]
}

/** The entry that a meta entry names for this machine. */
async function findConcrete(
  { entry, gallery }: Listed<BackendEntry>,
  { indexes, capability }: Pick<BackendInstallerParts, 'indexes' | 'capability'>,
  signal: AbortSignal,
): Promise<Listed<BackendEntry>> {
  const machine = await capability()
  const name = chooseByCapability(entry.capabilities, machine)
  const found = name === undefined ? undefined : await indexes.find(`${gallery.name}@${name}`, { signal })
  if (found !== undefined && !isMetaBackend(found.entry)) return found
  throw new SvcError('not_found', `the backend "${entry.name}" has no build for this machine (${machine})`, {
    code: 'backend_not_found',
  })
}

/** The source of a backend, and the fields that are written of it. */
interface BackendSource {
  readonly name: string
  readonly alias: string
  readonly version: string
  readonly galleryUrl: string
  /** Tried in their order. */
  readonly uris: readonly string[]
  /** Hash of an archive. */
  readonly sha256: string
  /** The signers that its gallery asks for. */
  readonly verification: Readonly<Record<string, unknown>> | undefined
  /** The operation that ends with this folder. */
  readonly job?: string | undefined
}

function toSource({ entry, gallery }: Listed<BackendEntry>): BackendSource {
  const { name, alias, version, uri, mirrors, sha256 } = entry
  return {
    name,
    alias,
    version,
    galleryUrl: gallery.url,
    sha256,
    uris: [uri, ...mirrors].filter((one) => one !== ''),
    verification: gallery.verification,
  }
}

function externalSource({ uri = '', name, alias = '' }: BackendRequest): BackendSource {
  const path = uri.replace(/\/+$/, '')
  const last = path.slice(path.lastIndexOf('/') + 1).split(/[:@]/, 1)[0] ?? ''
  const isPath = /^(?:https?|file|ocifile):\/\/|^\//.test(uri)
  const own = isPath ? last.replace(/\.(?:tar|tgz|tzst)(?:\.\w+)?$/, '') : last
  return { name: name ?? own, alias, version: '', galleryUrl: '', uris: [uri], sha256: '', verification: undefined }
}

async function installImage(
  source: BackendSource,
  request: BackendRequest,
  work: OperationWork,
  parts: BackendInstallerParts,
): Promise<readonly string[]> {
  const { name, alias } = source
  checkName(name, 'backend')
  const folderName = toFileName(name)
  const names = [name, ...(alias === '' ? [] : [alias])]
  const folders = await listBackendFolders({ user: parts.backendsPath, system: parts.systemPath })
  const present = folders.find((one) => !one.isSystem && one.folderName === folderName)
  if (present?.hasRunFile === true && request.force !== true) return names
  const staging = join(parts.backendsPath, STAGING, folderName)
  const root = join(staging, 'root')
  const needsHash = source.verification !== undefined || parts.requiresIntegrity
  const fetch = { name, sha256: source.sha256, needsHash, isExternal: request.id === undefined }
  const { digest, uri } = await pullFirst(
    source,
    { ...fetch, staging, root, createCheck: () => createImageCheck(source, parts) },
    work,
    parts,
  )
  await requireRunFile(root, name)
  await writeMetadata(root, {
    name,
    ...(alias === '' ? {} : { alias }),
    ...(source.galleryUrl === '' ? {} : { galleryUrl: source.galleryUrl }),
    installedAt: new Date(parts.clock.now()).toISOString(),
    ...(source.version === '' ? {} : { version: source.version }),
    uri,
    ...(digest === '' ? {} : { digest }),
    job: source.job,
  })
  work.report({ phase: 'Finalizing', message: `installing ${name}` })
  work.commit()
  await swap(parts, folderName, root)
  await rm(staging, { recursive: true, force: true })
  return names
}

/** The check of signatures that a gallery, or the configuration, asks for. @throws {SvcError} where it cannot be done */
function createImageCheck(
  { name, verification }: BackendSource,
  { signatures, requiresIntegrity }: BackendInstallerParts,
): PullOptions['check'] {
  if (verification === undefined) {
    if (!requiresIntegrity) return undefined
    throw new SvcError('forbidden', `"${name}" is refused: its source names no signer (--require-backend-integrity)`, {
      code: 'integrity_required',
    })
  }
  if (signatures === undefined) {
    throw new SvcError(
      'unavailable',
      `the gallery asks for the signature of "${name}": set --sigstore-trusted-root to a trust root`,
      { code: 'trust_root_missing' },
    )
  }
  const policy = readSignaturePolicy(verification)
  return async (digest, readSignatures) => signatures.verify(digest, await readSignatures(), policy)
}

async function swap(
  { backendsPath, oldCopies }: BackendInstallerParts,
  folderName: string,
  root: string,
): Promise<void> {
  try {
    const old = await swapFolder(backendsPath, folderName, root)
    if (old !== undefined) oldCopies.add(old)
  } catch (error) {
    throw toFileError(error, 'written', join(backendsPath, folderName))
  }
}

/** Pulls from the first address that has the image. @throws the failure of the first */
async function pullFirst(
  source: BackendSource,
  fetch: Omit<BackendFetch, 'uri'>,
  work: OperationWork,
  parts: BackendInstallerParts,
): Promise<{ readonly digest: string; readonly uri: string }> {
  const { signal } = work
  const { root, staging } = fetch
  let failure: unknown
  for (const uri of withOtherTags(source.uris, parts.tags)) {
    try {
      const digest = await fetchBackend({ ...fetch, uri }, work, parts)
      return { digest, uri }
    } catch (error) {
      await rm(root, { recursive: true, force: true })
      if (signal.aborted && !keepsData(signal)) await rm(staging, { recursive: true, force: true })
      signal.throwIfAborted()
      failure ??= error
      // Another place helps where this one does not have the image, and not where the image is bad.
      if (!SvcError.is(error) || error.kind !== 'upstream_failed' || error.code === 'download_corrupt') break
    }
  }
  throw failure
}

/** Lists the addresses, and for images of the usual tags the addresses of the other channel. */
function withOtherTags(
  uris: readonly string[],
  { release, branch, developmentSuffix, prefersDevelopment }: BackendTags,
): readonly string[] {
  const [first] = uris
  const others = [first ?? ''].flatMap((uri) => {
    const released = uri.replace(`:${branch}-`, `:${release}-`)
    const developed = uri.replace(`:${release}-`, `:${branch}-`)
    return released === developed ? [] : [released, developed, `${developed}-${developmentSuffix}`]
  })
  const all = [...uris, ...others]
  return [...new Set(prefersDevelopment() ? [...others.slice(1), ...all] : all)]
}

async function requireRunFile(root: string, name: string): Promise<void> {
  const found = await lstat(join(root, 'run.sh')).catch(() => undefined)
  if (found?.isFile() === true) return
  await rm(root, { recursive: true, force: true })
  throw new SvcError('unprocessable', `the source of "${name}" is not a backend: it holds no run.sh`, {
    code: 'not_a_backend',
  })
}

/** Writes a folder that holds only the name of the backend that it leads to. */
async function writeMeta(
  name: string,
  { name: concrete, galleryUrl, job }: BackendSource,
  parts: BackendInstallerParts,
): Promise<void> {
  const { backendsPath, clock } = parts
  const folderName = toFileName(name)
  if (folderName === toFileName(concrete)) return
  const next = join(backendsPath, STAGING, `${folderName}.meta`)
  await rm(next, { recursive: true, force: true })
  await mkdir(next, { recursive: true, mode: 0o755 })
  const metadata: BackendMetadata = {
    name,
    metaBackendFor: toFileName(concrete),
    galleryUrl,
    installedAt: new Date(clock.now()).toISOString(),
    job,
  }
  await writeMetadata(next, metadata)
  await swap(parts, folderName, next)
}
