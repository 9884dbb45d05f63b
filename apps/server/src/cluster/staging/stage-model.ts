import type { PartialMessage } from '@svc/backend-client'
import type { ModelOptions } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { Upstream } from '@svc/http-client'
import { mapConcurrently } from '../../inference/operations/map-concurrently.ts'
import type { Clock } from '../../ports.ts'
import { createFileHashes, type FileHashes } from './file-hashes.ts'
import { findModelFiles } from './find-model-files.ts'
import { rewritePaths } from './named-paths.ts'
import { type Place, type PlacedFile, type SentFolders, toPlace } from './places.ts'
import type { StageByStorage } from './stage-by-storage.ts'
import { stageFile } from './stage-file.ts'

/** An hour: a worker may be away that long in the middle of a file. */
const BUDGET_MS = 3_600_000
const REPORT_EVERY_MS = 500
const MAX_AT_ONCE = 4
/** The empty file whose path tells the root of a model without files. */
const EMPTY = { name: 'no-files', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }

/** How far the staging of a model is. */
export interface StagingProgress {
  /** Bytes that the worker has. */
  readonly bytesSent: number
  readonly totalBytes: number
  /** The file that was begun last, counted from 1. */
  readonly fileIndex: number
  readonly totalFiles: number
}

/** Options of {@link stageModel}. */
export interface StageModelOptions {
  /** `<model>#<index>`. */
  readonly processKey: string
  readonly folders: SentFolders
  readonly node: {
    /** `host:port` of the worker's file server. */
    readonly httpAddress: string
  }
  readonly token: string
  /** Whether the worker has the same folders: nothing is sent or rewritten. */
  readonly isShared: boolean
  readonly client: Pick<Upstream, 'send'>
  /** Called at least every second while files are read or sent. */
  readonly onProgress: (progress: StagingProgress) => void
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Tries the object storage first. @default files are sent to the worker */
  readonly byStorage?: StageByStorage | undefined
  /** @default those of the data folder */
  readonly hashes?: FileHashes | undefined
}

/**
 * Sends every file that a load request needs to a worker, unless it has them: weights with their parts and companions,
 * projector, draft model, adapters, and files and folders that options name, as far as they are below the models folder
 * or the data folder. Symbolic links out of these are not followed.
 *
 * @returns the request with the paths at the worker; `ModelPath` is the root of the model there
 * @throws {SvcError} `unavailable`, code `staging_failed`; `unprocessable`, code `staging_too_many_files`; the signal's
 *   reason
 */
export async function stageModel(
  request: PartialMessage<ModelOptions>,
  options: StageModelOptions,
): Promise<PartialMessage<ModelOptions>> {
  if (options.isShared) return request
  const { folders, signal, clock } = options
  const files = await findModelFiles(request, { folders, signal })
  const hashes = options.hashes ?? createFileHashes({ dataPath: folders.data, clock })
  const report = createReporter(files, options)
  const sent = await mapConcurrently(files, { limit: MAX_AT_ONCE, signal }, async (file, inner) =>
    sendOne(file, { ...options, ...inner, hashes, progress: report.begin() }),
  )
  const paths = new Map(files.map((file, index) => [toKey(file), sent[index] ?? '']))
  const roots = { models: findRoot('models', paths) ?? (await makeRoot(options)), data: findRoot('data', paths) }
  const toRemote = (path: string): string => {
    const place = toPlace(path, folders)
    const root = place === undefined ? undefined : roots[place.area]
    return place === undefined || root === undefined ? path : (paths.get(toKey(place)) ?? `${root}/${place.inner}`)
  }
  return rewritePaths(request, { root: roots.models, toRemote })
}

/** Measures the files that {@link stageModel} would send, in bytes. */
export async function measureModelFiles(
  request: PartialMessage<ModelOptions>,
  options: { readonly folders: SentFolders; readonly signal: AbortSignal },
): Promise<number> {
  return sumSizes(await findModelFiles(request, options))
}

const sumSizes = (files: readonly PlacedFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)

const toKey = ({ area, inner }: Place): string => `${area}/${inner}`

/** Progress of one file. */
interface FileProgress {
  /** @param bytes that the worker has */
  at(bytes: number): void
  /** Tells the same again, when the last time is a while ago. */
  alive(): void
}

function createReporter(files: readonly PlacedFile[], { onProgress, clock }: StageModelOptions) {
  const totalBytes = sumSizes(files)
  let bytesSent = 0
  let fileIndex = 0
  let toldAt = Number.NEGATIVE_INFINITY
  const tell = () => {
    toldAt = clock.monotonic()
    onProgress({ bytesSent: Math.min(bytesSent, totalBytes), totalBytes, fileIndex, totalFiles: files.length })
  }
  return {
    begin(): FileProgress {
      let own = 0
      fileIndex += 1
      tell()
      return {
        at(bytes) {
          bytesSent += bytes - own
          own = bytes
          tell()
        },
        alive() {
          if (clock.monotonic() - toldAt >= REPORT_EVERY_MS) tell()
        },
      }
    },
  }
}

async function sendOne(
  { realPath, area, inner }: PlacedFile,
  options: StageModelOptions & { readonly hashes: FileHashes; readonly progress: FileProgress },
): Promise<string> {
  const { processKey, hashes, progress, signal } = options
  const { sha256, sizeBytes } = await hashes.hash(realPath, { onPiece: progress.alive, signal })
  const key = `${area}/${processKey}/${inner}`
  const file = { path: realPath, sizeBytes, sha256, key }
  const toWorker = toStageOptions(options, progress.at)
  return (await options.byStorage?.(file, toWorker)) ?? stageFile(file, toWorker)
}

function toStageOptions(
  { client, node, token, clock, signal }: StageModelOptions,
  onProgress: (bytes: number) => void,
): Parameters<typeof stageFile>[1] {
  return { client, address: node.httpAddress, token, budgetMs: BUDGET_MS, onProgress, clock, signal }
}

/** The folder at the worker in which all files of an area are; it ends where the places begin. */
function findRoot(area: Place['area'], paths: ReadonlyMap<string, string>): string | undefined {
  for (const [key, path] of paths) {
    if (key.startsWith(`${area}/`)) return cutRoot(path, key.slice(area.length))
  }
}

/** Makes the root of a model without files. */
async function makeRoot(options: StageModelOptions): Promise<string> {
  const key = `models/${options.processKey}/${EMPTY.name}`
  const file = { path: '', sizeBytes: 0, sha256: EMPTY.sha256, key }
  const path = await stageFile(
    file,
    toStageOptions(options, () => undefined),
  )
  return cutRoot(path, `/${EMPTY.name}`)
}

function cutRoot(path: string, end: string): string {
  if (path.replaceAll('\\', '/').endsWith(end)) return path.slice(0, -end.length)
  throw new SvcError('unavailable', 'the worker keeps a file of the model at another path than was asked for', {
    code: 'staging_failed',
  })
}
