import { join, posix } from 'node:path'
import type { KnownFiles } from '../../downloads/known-files.ts'
import { isSafeName } from '../../files/safe-path.ts'
import type { OwnPlaces } from '../../key-files/own-places.ts'
import { isPending, nameWithoutGallery, type OperationView } from '../../operations/operation.ts'
import type { Operations } from '../../operations/operations.ts'
import { hashWriter } from '../../operations/server-id.ts'
import type { Clock } from '../../ports.ts'
import { ARTIFACTS, PARTIAL, SOURCE } from '../artifacts/snapshot-folder.ts'
import { isOwnStaging, JOURNAL, mayStage, STAGING } from '../model-commit.ts'
import { type ClaimParts, type Claims, readClaims } from './claims.ts'
import { type WalkedFile, type WalkedFolder, walkFolder } from './walk-folder.ts'

/**
 * Kind of an unused file: weights of a model that was installed and has others now, the first part of a download, a
 * snapshot of a repository, or weights that this server has not fetched.
 */
export type UnusedKind = 'variant' | 'partial' | 'snapshot' | 'other'

/** A file or a hidden folder of the models folder that nothing needs. */
export interface UnusedFile {
  /** Relative to the models folder. */
  readonly path: string
  readonly kind: UnusedKind
  readonly sizeBytes: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number
  /**
   * Whether it is deleted without being named: not for weights of somebody else and data of a paused or failed
   * installation.
   */
  readonly isSelected: boolean
  /** Whether it is a folder, which goes with everything in it. */
  readonly isFolder: boolean
  readonly files: readonly WalkedFile[]
}

/** The unused files of a models folder. */
export interface UnusedFiles {
  /** The files in the order of their paths. */
  readonly files: readonly UnusedFile[]
  /** Models that are being installed. Files that they may need are left out. */
  readonly installing: readonly string[]
}

/** Parts of {@link findUnused}. */
export interface UnusedParts extends ClaimParts {
  readonly known: Pick<KnownFiles, 'list'>
  readonly operations: Pick<Operations, 'list' | 'history'>
  readonly places: OwnPlaces
  readonly serverId: string
  readonly clock: Pick<Clock, 'now'>
  /** Whether a model is in memory, or is loaded at each start. */
  readonly isInUse: (model: string) => boolean
}

/** Endings of weights. */
const WEIGHTS = /\.(?:gguf|ggml|safetensors|onnx|onnx_data|bin|pt|pth|ckpt|tflite|npz|engine)$/i
/** Servers may share a models folder: data that was written within an hour may belong to an installation of another one. */
const RECENT_MS = 60 * 60 * 1000
/** A file that was changed later than this after the server has noted it is another one. */
const NOTE_MS = 5 * 60 * 1000

/** Installations that may need a file. */
interface Installations {
  /** Names of models whose installation waits or runs. */
  readonly pending: readonly string[]
  /** Names of models whose installation goes on when somebody asks for it. */
  readonly resumable: readonly string[]
}

/**
 * Finds the weights, the partial downloads and the snapshots that no model file, record, link or installation needs.
 *
 * @throws {SvcError} `conflict` (`folder_too_large`, `model_file_unreadable`); of the database; the signal's reason
 */
export async function findUnused(
  parts: UnusedParts,
  { signal }: { readonly signal: AbortSignal },
): Promise<UnusedFiles> {
  const walked = await walkFolder(parts.modelsPath, { signal })
  const claims = await readClaims(parts, walked)
  const installations = await readInstallations(parts.operations)
  const loose = await findWeights(walked, { claims, installations }, parts)
  const hidden = findHidden(walked, { claims, installations }, parts)
  const files = [...loose, ...findPartials(walked, parts), ...hidden]
  return {
    files: files.sort((one, other) => (one.path < other.path ? -1 : 1)),
    installing: installations.pending,
  }
}

async function readInstallations(operations: UnusedParts['operations']): Promise<Installations> {
  const nameModel = ({ fullName, details }: Pick<OperationView, 'fullName' | 'details'>): string =>
    typeof details.name === 'string' ? details.name : nameWithoutGallery(fullName)
  const isInstallation = ({ subject, action }: Pick<OperationView, 'subject' | 'action'>): boolean =>
    subject === 'model' && action === 'installation'
  const open = operations.list().filter(isInstallation)
  const paused = (await operations.history()).filter((one) => isInstallation(one) && one.state === 'paused')
  return {
    pending: open.filter(isPending).map(nameModel),
    resumable: [...open.filter((one) => !isPending(one)), ...paused].map(nameModel),
  }
}

interface Needs {
  readonly claims: Claims
  readonly installations: Installations
}

/** Weights outside hidden folders. Those of a model of their own are unused only where this server has fetched them. */
async function findWeights(
  { root, files }: WalkedFolder,
  { claims, installations }: Needs,
  parts: UnusedParts,
): Promise<readonly UnusedFile[]> {
  // An installation that runs may have found a file in its place already.
  if (installations.pending.length > 0) return []
  const { modelsPath, modelFiles, known, places, isInUse } = parts
  const noted = await known.list()
  const models = new Set(modelFiles.list().flatMap(({ source, file }) => (source === 'file' ? [file] : [])))
  const found: UnusedFile[] = []
  for (const file of files) {
    const { path, changedAt } = file
    if (isHidden(path) || !WEIGHTS.test(path) || !isSafeName(path) || claims.holds(path)) continue
    const notedAt = noted.get(join(modelsPath, path))
    const isFetched = notedAt !== undefined && changedAt <= notedAt + NOTE_MS
    if (models.has(path) && (!isFetched || isInUse(path))) continue
    if (places.reserves(join(modelsPath, path)) || (await places.holdsFile(join(root, path)))) continue
    found.push({ ...summarize(path, [file]), kind: isFetched ? 'variant' : 'other', isSelected: isFetched })
  }
  return found
}

/** First parts of downloads beside their targets, each with the file that describes it. */
function findPartials({ files }: WalkedFolder, { clock, modelsPath, places }: UnusedParts): readonly UnusedFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return files.flatMap((file): readonly UnusedFile[] => {
    const facts = byPath.get(`${file.path}.json`)
    if (isHidden(file.path) || !file.path.endsWith('.partial') || facts === undefined) return []
    if (places.reserves(join(modelsPath, file.path)) || isRecent(file, clock)) return []
    return [{ ...summarize(file.path, [file, facts]), kind: 'partial', isSelected: true }]
  })
}

/** Folders of installations and snapshots. */
function findHidden(walked: WalkedFolder, { claims, installations }: Needs, parts: UnusedParts): readonly UnusedFile[] {
  const { clock } = parts
  const { pending, resumable } = installations
  const writer = hashWriter(parts.serverId)
  const isResumable = resumable.length > 0
  const units = groupFiles(walked)
  return [...units].flatMap(([path, files]): readonly UnusedFile[] => {
    const unit = { ...summarize(path, files), isFolder: true }
    const name = posix.basename(path)
    const isOld = !isRecent(unit, clock)
    const take = (kind: UnusedKind, isSelected: boolean): readonly UnusedFile[] => [{ ...unit, kind, isSelected }]
    if (walked.links.some(({ from, to }) => isInside(to, path) && !isInside(from, path))) return []
    switch (posix.dirname(path)) {
      case STAGING: {
        const stages = (model: string): boolean => isOwnStaging(name, parts.serverId) && mayStage(name, model)
        if (pending.some(stages) || files.some((file) => file.path === `${path}/${JOURNAL}`)) return []
        if (resumable.some(stages)) return take('partial', false)
        return isOld ? take('partial', true) : []
      }
      case `${ARTIFACTS}/${PARTIAL}`: {
        const isOwn = name.endsWith(`.${writer}`)
        if (isOwn ? pending.length > 0 : !isOld) return []
        return take('partial', !(isOwn && isResumable))
      }
      default:
        if (pending.length > 0 || !isOld || claims.holdsSnapshot(name, path)) return []
        return take('snapshot', !isResumable)
    }
  })
}

const SNAPSHOT_NAME = /^[0-9a-f]{64}(?:\.[0-9a-f]{16})?$/

/** The files of each hidden folder that an installation makes. */
function groupFiles({ files }: WalkedFolder): ReadonlyMap<string, readonly WalkedFile[]> {
  const units = new Map<string, WalkedFile[]>()
  for (const file of files) {
    const [first = '', second = '', third = '', ...rest] = file.path.split('/')
    const isStaged = first === STAGING && third !== ''
    const isSnapshot = [SOURCE, PARTIAL].includes(second) && SNAPSHOT_NAME.test(third) && rest.length > 0
    const unit = isStaged ? `${first}/${second}` : `${first}/${second}/${third}`
    if (!isStaged && !(first === ARTIFACTS && isSnapshot)) continue
    const members = units.get(unit)
    if (members === undefined) units.set(unit, [file])
    else members.push(file)
  }
  return units
}

function summarize(path: string, files: readonly WalkedFile[]): Omit<UnusedFile, 'kind' | 'isSelected'> {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0)
  return { path, sizeBytes, modifiedAt: Math.max(...files.map((file) => file.modifiedAt)), isFolder: false, files }
}

function isRecent({ modifiedAt }: { readonly modifiedAt: number }, { now }: Pick<Clock, 'now'>): boolean {
  return now() - modifiedAt < RECENT_MS
}

function isHidden(path: string): boolean {
  return path.startsWith('.') || path.includes('/.')
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
