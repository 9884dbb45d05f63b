import { copyFile, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { GgufError } from '@svc/gguf'
import type { ConfigStore } from '../catalog/config-store.ts'
import { readGgufSummary } from '../catalog/gguf-summary.ts'
import { openModelFolder, withOpenFile } from '../catalog/model-folder.ts'
import { isGgufName } from '../catalog/to-model-config.ts'
import { downloadFiles } from '../downloads/download-files.ts'
import type { DownloadedFile, Downloader } from '../downloads/downloader.ts'
import { hashFile } from '../downloads/hash-file.ts'
import { createKeyedLock, type KeyedLock } from '../downloads/keyed-lock.ts'
import type { KnownFiles } from '../downloads/known-files.ts'
import { type ResolvedUri, resolveUri, type UriServices } from '../downloads/resolve-uri.ts'
import { toFileError } from '../files/file-error.ts'
import type { OperationWork } from '../operations/operations.ts'
import { keepsData } from '../operations/stopped-operation.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { EntryFile, Listed, ModelEntry } from './gallery.ts'
import type { GalleryIndexes } from './gallery-indexes.ts'
import { formatRecord, readRecord, recordFileName } from './install-record.ts'
import { commitModel, stagingFolder } from './model-commit.ts'
import { EMPTY_DOCUMENT, fetchDocument, type ModelDocument } from './model-document.ts'
import { configFileName, type ModelPlan, type ModelRequest, planModel } from './model-plan.ts'
import { checkScan } from './scan.ts'
import type { ChooseVariant } from './variants.ts'

/** What the installation of models needs. */
export interface ModelInstallerParts {
  readonly modelsPath: string
  readonly modelFiles: ConfigStore
  readonly indexes: GalleryIndexes<ModelEntry>
  readonly client: OutboundClient
  readonly downloader: Downloader
  readonly known: KnownFiles
  readonly services: () => UriServices
  readonly chooseVariant: ChooseVariant
  /** Whole files of one model that are fetched at a time. */
  readonly concurrency: () => number
  /** Whether the hub is asked about a repository before anything of it is fetched. */
  readonly scans: boolean
  /** Installs a backend that a model names and that is not here. */
  readonly installBackend: (name: string, work: OperationWork) => Promise<void>
  /** Held while files in the models folder are replaced or removed. */
  readonly folderLock: KeyedLock
}

/** The lock of a models folder, for {@link ModelInstallerParts.folderLock}. */
export function createFolderLock(): KeyedLock {
  return createKeyedLock()
}

/** The work of an installation: everything is fetched and checked before anything that is there is replaced. */
export async function installModel(
  request: ModelRequest,
  work: OperationWork,
  parts: ModelInstallerParts,
): Promise<void> {
  const { modelsPath, modelFiles } = parts
  const { signal } = work
  work.report({ phase: 'Resolving files', message: 'resolving files' })
  const { listed, document, variant } = await resolveRequest(request, parts, signal)
  const plan = planModel(listed?.entry ?? namelessEntry(request), document, request)
  await refuseForeign(plan.name, parts)
  if (plan.backend !== '') await parts.installBackend(plan.backend, work)
  const sources = plan.files.map((file) => ({ file, resolved: resolveUri(file.uri, 'public', parts.services()) }))
  if (parts.scans)
    await checkScan(
      sources.map(({ resolved }) => resolved),
      parts,
      signal,
    )
  const staged = await fetchFiles(plan, sources, work, parts)
  await parts.folderLock.run(
    modelsPath,
    async () => {
      await refuseForeign(plan.name, parts)
      work.report({ phase: 'Finalizing', message: 'finalizing' })
      work.commit()
      work.report({ phase: 'Saving configuration', message: 'saving configuration' })
      const record = formatRecord({
        name: plan.name,
        entryName: listed?.id ?? '',
        resolvedVariant: variant,
        pinnedVariant: request.variant,
        files: plan.files,
      })
      await commitModel(modelsPath, plan.name, {
        moves: staged.map(({ filename }) => filename),
        texts: [
          ...plan.templates,
          { filename: recordFileName(plan.name), text: record },
          // The model is there once its own file is.
          { filename: plan.configFile, text: plan.configText },
        ],
      })
      await noteContents(staged, plan.name, parts)
      await modelFiles.reload()
    },
    { signal },
  )
}

interface Resolved {
  readonly listed: Listed<ModelEntry> | undefined
  readonly document: ModelDocument
  /** Name of the entry that was taken for the one that was asked for. */
  readonly variant?: string | undefined
}

async function resolveRequest(
  request: ModelRequest,
  parts: ModelInstallerParts,
  signal: AbortSignal,
): Promise<Resolved> {
  if (request.id === undefined || request.id === '') {
    return { listed: undefined, document: await readDocumentAt(request.url ?? '', parts, signal) }
  }
  const asked = await parts.indexes.find(request.id, { signal })
  if (asked === undefined) {
    throw new SvcError('not_found', `no model found with name "${request.id}"`, { code: 'model_not_found' })
  }
  const chosen = await parts.chooseVariant(asked, { pinned: request.variant, signal })
  // A variant is installed under the name that was asked for.
  const entry = { ...chosen.entry, name: asked.entry.name }
  return {
    listed: { ...asked, entry },
    document: await readDocumentAt(chosen.entry.url, parts, signal),
    variant: chosen.id === asked.id ? undefined : chosen.entry.name,
  }
}

async function readDocumentAt(url: string, parts: ModelInstallerParts, signal: AbortSignal): Promise<ModelDocument> {
  if (url === '') return EMPTY_DOCUMENT
  const resolved = resolveUri(url, 'public', parts.services())
  if (resolved.kind !== 'http') throw cannotFetch(url)
  return fetchDocument(resolved.source, { client: parts.client, signal })
}

function namelessEntry({ name = '' }: ModelRequest): Pick<ModelEntry, 'name' | 'files' | 'configFile' | 'overrides'> {
  return { name, files: [], configFile: {}, overrides: {} }
}

/** A model of this name that no installation has made is somebody's own. */
async function refuseForeign(name: string, { modelFiles, modelsPath }: ModelInstallerParts): Promise<void> {
  const twin = modelFiles.get(name)
  if (twin === undefined || twin.source !== 'yaml') return
  if (twin.file === configFileName(name) && (await readRecord(modelsPath, name)) !== undefined) return
  throw new SvcError('conflict', `a model named "${name}" exists already in ${twin.file}`, { code: 'model_exists' })
}

/** A file that waits in the staging folder. */
interface StagedFile {
  readonly filename: string
  readonly sha256?: string | undefined
}

/** Notes what the files in their places hold, so that another model can share them. */
async function noteContents(staged: readonly StagedFile[], name: string, parts: ModelInstallerParts): Promise<void> {
  const staging = stagingFolder(parts.modelsPath, name)
  await parts.known.remove(staged.map(({ filename }) => join(staging, filename)))
  for (const { filename, sha256 } of staged) {
    if (sha256 !== undefined) await parts.known.add({ path: join(parts.modelsPath, filename), sha256 })
  }
}

/** Fetches the files that are not in place. @returns those that wait in the staging folder */
async function fetchFiles(
  plan: ModelPlan,
  sources: readonly { readonly file: EntryFile; readonly resolved: ResolvedUri }[],
  work: OperationWork,
  parts: ModelInstallerParts,
): Promise<readonly StagedFile[]> {
  const { modelsPath, downloader } = parts
  const { signal } = work
  const staging = stagingFolder(modelsPath, plan.name)
  const missing = []
  for (const source of sources) if (!(await isInPlace(modelsPath, source.file, signal))) missing.push(source)
  const remote = await Promise.all(
    missing.map(async ({ file, resolved }) => {
      if (resolved.kind === 'file') return { file, resolved, sizeBytes: undefined }
      if (resolved.kind !== 'http') throw cannotFetch(file.uri)
      return { file, resolved, sizeBytes: await downloader.measureSize(resolved.source, { signal }) }
    }),
  )
  work.report({ phase: 'Downloading', message: `downloading ${plan.name}`, currentBytes: 0 })
  for (const { file, resolved } of remote) {
    if (resolved.kind === 'file') await takeLocal(resolved.path, join(staging, file.filename), file)
  }
  const fetched: readonly DownloadedFile[] = await downloadFiles(downloader, {
    files: remote.flatMap(({ file, resolved, sizeBytes }) =>
      resolved.kind === 'http'
        ? [
            {
              target: join(staging, file.filename),
              source: resolved.source,
              sha256: file.sha256,
              ...(sizeBytes === undefined || file.sha256 !== undefined ? {} : { sizeBytes }),
              check: (path) => checkContent(path, file.filename),
              keepsData: () => keepsData(signal),
            },
          ]
        : [],
    ),
    concurrency: parts.concurrency(),
    signal,
    onProgress: ({ currentBytes, totalBytes, target }) =>
      work.report({
        phase: 'Downloading',
        message: `downloading ${basename(target)}`,
        fileName: basename(target),
        currentBytes,
        totalBytes: Math.max(
          totalBytes,
          remote.reduce((sum, one) => sum + (one.sizeBytes ?? 0), 0),
        ),
      }),
  })
  work.report({ phase: 'Verifying', message: 'verifying files' })
  const digests = new Map(
    remote
      .filter(({ resolved }) => resolved.kind === 'http')
      .map(({ file }, index) => [file.filename, fetched[index]?.sha256]),
  )
  return missing.map(({ file: { filename } }) => ({ filename, sha256: digests.get(filename) }))
}

/** Whether a file is there with the right content; without a hash, whether it is there. */
async function isInPlace(modelsPath: string, { filename, sha256 }: EntryFile, signal: AbortSignal): Promise<boolean> {
  const path = join(modelsPath, filename)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile()) return false
  if (sha256 === undefined) return true
  const content = await hashFile(path, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  return content?.sha256 === sha256
}

async function takeLocal(path: string, target: string, file: EntryFile): Promise<void> {
  try {
    await mkdir(dirname(target), { recursive: true })
    await copyFile(path, target)
  } catch (error) {
    throw toFileError(error, 'copied', file.filename)
  }
  await checkContent(target, file.filename)
}

/** Weights whose header contradicts them never get to their place (threats WGT-1). */
async function checkContent(path: string, filename: string): Promise<void> {
  if (!isGgufName(filename)) return
  const found = openModelFolder(dirname(path)).find(basename(path))
  if (found?.found !== true) return
  try {
    withOpenFile(found, readGgufSummary)
  } catch (error) {
    if (!(error instanceof GgufError)) throw error
    throw new SvcError('unprocessable', `${filename} ${error.message}`, { code: 'not_a_model' })
  }
}

function cannotFetch(uri: string): SvcError {
  return new SvcError(
    'not_implemented',
    `models from ${uri.split(':', 1)[0] ?? ''} addresses are not in this version`,
    {
      code: 'uri_not_built',
    },
  )
}
