import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import type { KeyedLock } from '../concurrency/keyed-lock.ts'
import { type ResolvedUri, resolveUri } from '../downloads/resolve-uri.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import type { OperationWork } from '../operations/operations.ts'
import { type ArtifactFetcherParts, checkSnapshots, fetchArtifacts } from './artifacts/fetch-artifacts.ts'
import type { ResolvedArtifact } from './artifacts/resolve-artifact.ts'
import { type PlanResolverParts, resolveArtifacts } from './artifacts/resolve-artifacts.ts'
import { listSnapshots, removeUnusedSnapshots } from './artifacts/used-snapshots.ts'
import { type FetchedFiles, type FileSource, fetchModelFiles, type StagedFile } from './fetch-model-files.ts'
import { readOwners } from './file-owners.ts'
import type { EntryFile, Listed, ModelEntry } from './gallery.ts'
import { describeUnread, type GalleryIndexes } from './gallery-indexes.ts'
import { formatRecord, readRecord, recordFileName } from './install-record.ts'
import { commitModel, stagingFolder } from './model-commit.ts'
import { EMPTY_DOCUMENT, fetchDocument, type ModelDocument } from './model-document.ts'
import { configFileName, listAsked, type ModelPlan, type ModelRequest, planModel } from './model-plan.ts'
import { type PlacedPlan, placeFiles } from './place-files.ts'
import { type ReinstalledConfig, reinstallConfig } from './reinstall-config.ts'
import { checkScan } from './scan.ts'
import type { ChooseVariant } from './variants.ts'

/** Parts that install models. */
export interface ModelInstallerParts extends PlanResolverParts, ArtifactFetcherParts {
  readonly modelFiles: ConfigStore
  readonly indexes: GalleryIndexes<ModelEntry>
  readonly chooseVariant: ChooseVariant
  /** Whether the hub is asked about a repository before anything of it is fetched. */
  readonly scans: boolean
  /** Installs a backend that a model names and that is not here. */
  readonly installBackend: (name: string, work: OperationWork) => Promise<void>
  /** Held while files in the models folder are replaced or removed. */
  readonly folderLock: KeyedLock
  readonly keyFileGate: KeyFileGate
  readonly places: OwnPlaces
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
  const { plan: named, listed, variant } = await planRequest(request, parts, signal)
  await refuseForeign(named.name, parts)
  if (named.backend !== '') await parts.installBackend(named.backend, work)
  work.report({ phase: 'Resolving files', message: 'resolving files' })
  const { plan, artifacts } = await resolveArtifacts(named, parts, signal)
  const sources = plan.files.map((file) => ({ file, resolved: resolveUri(file.uri, 'public', parts.services()) }))
  for (const { resolved } of sources) await refuseOwnFile(resolved, parts)
  if (parts.scans) await checkScan(listRepositories(sources, artifacts), parts, signal)
  const owners = await readOwners(plan.name, parts)
  const fetched = await fetchModelFiles(plan.name, sources, work, { ...parts, owners })
  // Images bring names of their own.
  refuseReserved(
    fetched.staged.map(({ filename }) => filename),
    parts,
  )
  if (artifacts.length > 0) await fetchArtifacts(artifacts, work, parts)
  const before = listSnapshots(modelFiles.get(plan.name))
  await parts.folderLock.run(
    modelsPath,
    async () => {
      await refuseForeign(plan.name, parts)
      await checkSnapshots(artifacts, modelsPath)
      work.report({ phase: 'Finalizing', message: 'finalizing' })
      const placed = await placePlan(plan, fetched, parts, { signal, asked: listAsked(request) })
      work.commit()
      work.report({ phase: 'Saving configuration', message: 'saving configuration' })
      const record = formatRecord({
        name: plan.name,
        entryName: listed?.id ?? '',
        resolvedVariant: variant,
        pinnedVariant: request.variant,
        job: work.jobId,
        files: listPlaced(plan.files, fetched, placed),
        templates: placed.plan.templates.map(({ filename }) => filename),
        configText: placed.plan.configText,
        requested: placed.config.requested,
      })
      await noteContents(placed.staged, parts)
      await commitModel(parts, plan.name, {
        moves: placed.staged.map(({ filename }) => filename),
        texts: [
          ...placed.plan.templates,
          { filename: recordFileName(plan.name), text: record },
          // The model is there once its own file is.
          { filename: placed.plan.configFile, text: placed.config.text },
        ],
      })
      await forgetStaged(fetched.staged, plan.name, parts)
      await modelFiles.reload()
      await removeUnusedSnapshots(before, parts)
    },
    { signal },
  )
}

/** The files of a model under their last names; the files of an image in place of it. */
function listPlaced(
  files: readonly EntryFile[],
  { unpacked }: FetchedFiles,
  { renamed }: PlacedPlan,
): readonly EntryFile[] {
  return files.flatMap((file) => {
    const inside = unpacked.get(file.filename)?.map((filename) => ({ filename, uri: file.uri })) ?? [file]
    return inside.map((one) => ({ ...one, filename: renamed.get(one.filename) ?? one.filename }))
  })
}

/** No file of the server becomes one of a model. @throws {SvcError} `invalid_request` */
async function refuseOwnFile(resolved: ResolvedUri, { places }: ModelInstallerParts): Promise<void> {
  if (resolved.kind !== 'file' && resolved.kind !== 'oci-file') return
  const real = await realpath(resolved.path).catch(() => resolved.path)
  if (!places.reserves(resolved.path) && !(await places.holdsFile(real))) return
  throw new SvcError('invalid_request', 'an address of the model names a file of this server', { code: 'invalid_uri' })
}

/**
 * Finds places for the files of a plan, and records that the server writes its model file. Called under the lock of the
 * models folder.
 *
 * @throws {SvcError} as {@link placeFiles} and {@link KeyFileGate.admit}
 */
export async function placePlan(
  plan: ModelPlan,
  fetched: FetchedFiles,
  parts: Pick<ModelInstallerParts, 'modelsPath' | 'serverId' | 'modelFiles' | 'keyFileGate' | 'clock' | 'logger'>,
  { signal, asked }: { readonly signal: AbortSignal; readonly asked: Readonly<Record<string, unknown>> },
): Promise<PlacedPlan & { readonly config: ReinstalledConfig }> {
  const { modelsPath, keyFileGate } = parts
  const placed = await placeFiles(plan, fetched, {
    modelsPath,
    signal,
    staging: stagingFolder(parts, plan.name),
    // Another installation may have ended meanwhile.
    owners: await readOwners(plan.name, parts),
  })
  const config = await reinstallConfig(placed.plan, asked, parts)
  const { text, model, before } = config
  await keyFileGate.admit({ file: placed.plan.configFile, text, models: [model] }, before)
  return { ...placed, config }
}

/** Repositories of the hub that something is fetched from. */
function listRepositories(sources: readonly FileSource[], artifacts: readonly ResolvedArtifact[]): readonly string[] {
  return [
    ...sources.flatMap(({ resolved }) => (resolved.kind === 'http' ? (resolved.repository ?? []) : [])),
    ...artifacts.map(({ repository }) => repository),
  ]
}

/** Everything that an installation of a request would write. @throws {SvcError} of the gallery, and as {@link planModel} */
export async function planRequest(
  request: ModelRequest,
  parts: ModelInstallerParts,
  signal: AbortSignal,
): Promise<Pick<Resolved, 'listed' | 'variant'> & { readonly plan: ModelPlan }> {
  const { listed, document, variant } = await resolveRequest(request, parts, signal)
  const plan = planModel(listed?.entry ?? namelessEntry(request), document, request)
  await parts.keyFileGate.check([plan.model])
  const named = [...plan.files, ...plan.templates].map(({ filename }) => filename)
  refuseReserved([plan.configFile, ...named], parts)
  return { plan, listed, variant }
}

/** Nothing that is installed takes the place of a file of the server. @throws {SvcError} `invalid_request` */
function refuseReserved(names: readonly string[], { modelsPath, places }: ModelInstallerParts): void {
  const reserved = names.find((name) => places.reserves(join(modelsPath, name)))
  if (reserved === undefined) return
  throw new SvcError('invalid_request', `${reserved} is a file of this server`, { code: 'invalid_file' })
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
    return { listed: undefined, document: await readDocument(request.url ?? '', parts, signal) }
  }
  const asked = await parts.indexes.find(request.id, { signal })
  if (asked === undefined) {
    const reason = describeUnread(parts.indexes.states())
    throw new SvcError('not_found', `no model found with name "${request.id}"${reason}`, { code: 'model_not_found' })
  }
  const chosen = await parts.chooseVariant(asked, { pinned: request.variant, signal })
  // A variant is installed under the name that was asked for.
  const entry = { ...chosen.entry, name: asked.entry.name }
  return {
    listed: { ...asked, entry },
    document: await readDocument(chosen.entry.url, parts, signal),
    variant: chosen.id === asked.id ? undefined : chosen.entry.name,
  }
}

function readDocument(url: string, parts: ModelInstallerParts, signal: AbortSignal): Promise<ModelDocument> {
  return url === '' ? Promise.resolve(EMPTY_DOCUMENT) : fetchDocument(url, parts, signal)
}

function namelessEntry({ name = '' }: ModelRequest): Pick<ModelEntry, 'name' | 'files' | 'configFile' | 'overrides'> {
  return { name, files: [], configFile: {}, overrides: {} }
}

/** A model of this name that no installation has made is somebody's own. */
async function refuseForeign(name: string, { modelFiles, modelsPath }: ModelInstallerParts): Promise<void> {
  const twin = modelFiles.get(name)
  const refuse = (reason: string): SvcError => new SvcError('conflict', reason, { code: 'model_exists' })
  const file = configFileName(name)
  const isOwn = (await readRecord(modelsPath, name))?.name === name
  if (twin?.source === 'list' || (twin?.source === 'yaml' && !(twin.file === file && isOwn))) {
    throw refuse(`a model named "${name}" exists already in ${twin.file}`)
  }
  // Other names give the same file, and a file that does not load is somebody's too.
  const isTaken = (await lstat(join(modelsPath, file)).catch(() => undefined)) !== undefined
  if (isTaken && !isOwn) throw refuse(`the file ${file} exists already`)
}

/**
 * Notes the content that files will have in their places. An installation that needs one of them finds it here or
 * there.
 */
async function noteContents(staged: readonly StagedFile[], { modelsPath, known }: ModelInstallerParts): Promise<void> {
  for (const { filename, sha256 } of staged) {
    if (sha256 !== undefined) await known.add({ path: join(modelsPath, filename), sha256 })
  }
}

/** Forgets the files of a staging folder, which is gone. */
async function forgetStaged(staged: readonly StagedFile[], name: string, parts: ModelInstallerParts): Promise<void> {
  const staging = stagingFolder(parts, name)
  await parts.known.remove(staged.map(({ filename }) => join(staging, filename)))
}
