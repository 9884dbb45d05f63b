import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Upstream } from '@svc/http-client'
import type { Clock } from '../../ports.ts'
import { createFileHashes } from './file-hashes.ts'
import { findNamedAfter } from './neighbours.ts'
import { lookAt, type Place, type PlacedFile, resolveFolders, type SentFolders, toPlace } from './places.ts'
import { stageFile } from './stage-file.ts'
import { createWorkerFiles } from './worker-files.ts'

/** Time to go on with a file after failures, milliseconds. */
const BUDGET_MS = 20_000
const MAX_KNOWN = 100
const MAX_LENGTH = 1024
/** Of a voice with the files that are named after it. Anything larger is the weights of a model, not a voice. */
const MAX_BYTES = 1024 ** 3
/** Model files describe models, and may hold secrets. */
const MODEL_FILE = /\.ya?ml$/i
/** Hidden entries are never sent. */
const HIDDEN = /(?:^|\/)\./

/** Options of {@link createVoiceFiles}. */
export interface VoiceFilesOptions {
  readonly folders: SentFolders
  /** `<model>#<index>` of the process. */
  readonly processKey: string
  /** `host:port` of the worker's file server. */
  readonly address: string
  readonly token: string
  readonly client: Pick<Upstream, 'send'>
  readonly clock: Clock
}

/** Files that requests name as a voice, at the worker. */
export interface VoiceFiles {
  /**
   * Sends the file that a voice names, with the files that are named after it, unless the worker has them. It goes beside
   * the weights of the model, where the backend joins relative paths.
   *
   * @param voice a name, a path relative to the models folder, or an absolute path of the model file
   * @returns the voice for the worker; the same text where it names no file below the models folder or the data folder
   * @throws {SvcError} `unavailable`, code `staging_failed`; the signal's reason
   */
  send(voice: string, signal: AbortSignal): Promise<string>
}

/** Creates the voices of a process. What was sent stays there until the model is removed there. */
export function createVoiceFiles(options: VoiceFilesOptions): VoiceFiles {
  const { folders, processKey, address, token, client, clock } = options
  const hashes = createFileHashes({ dataPath: folders.data, clock })
  const worker = createWorkerFiles({ address, token, client, clock })
  const toKey = ({ area, inner }: Place): string => `${area}/${processKey}/${inner}`
  /** The voice at the worker, by the path here and what changes with the file. */
  const known = new Map<string, string>()

  /** The voice at the worker, if it is still there: other front ends remove models, too. */
  async function findKept(version: string, place: Place, signal: AbortSignal): Promise<string | undefined> {
    const kept = known.get(version)
    if (kept === undefined) return undefined
    const found = await worker.find(toKey(place), signal).catch(() => undefined)
    return found === kept ? kept : undefined
  }

  async function sendAll(place: Place, signal: AbortSignal): Promise<string | undefined> {
    let found: string | undefined
    for (const { area, inner, realPath } of await findVoice(place, folders)) {
      const { sha256, sizeBytes } = await hashes.hash(realPath, { onPiece: () => undefined, signal })
      const key = toKey({ area, inner })
      const to = { client, address, token, budgetMs: BUDGET_MS, onProgress: () => undefined, clock, signal }
      const remote = await stageFile({ path: realPath, sizeBytes, sha256, key }, to)
      if (area === place.area && inner === place.inner) found = remote
    }
    return found
  }
  return {
    async send(voice, signal) {
      const path = isAbsolute(voice) ? voice : join(folders.models, voice)
      const version = voice === '' || MODEL_FILE.test(voice) ? undefined : await readVersion(path)
      const place = toPlace(path, folders)
      if (version === undefined || place === undefined || HIDDEN.test(place.inner)) return voice
      const remote = (await findKept(version, place, signal)) ?? (await sendAll(place, signal))
      if (remote === undefined) return voice
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(version, remote)
      // A backend joins a relative path to the folder of its models itself.
      return isAbsolute(voice) ? remote : voice
    },
  }
}

/** The file at a place, with those named after it; empty where they are too large. */
async function findVoice(place: Place, given: SentFolders): Promise<readonly PlacedFile[]> {
  const folders = await resolveFolders(given)
  const files: PlacedFile[] = []
  for (const each of [place, ...(await findNamedAfter(place, folders))]) {
    const found = await lookAt(each, folders)
    if (found?.kind === 'file') files.push({ ...each, realPath: found.realPath, sizeBytes: found.sizeBytes })
  }
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > MAX_BYTES ? [] : files
}

/** Changes with the file; undefined where there is none. */
async function readVersion(path: string): Promise<string | undefined> {
  if (path.includes('\0') || path.length > 4 * MAX_LENGTH) return undefined
  const found = await stat(path, { bigint: true }).catch(() => undefined)
  return found?.isFile() === true ? [path, found.ino, found.size, found.mtimeNs].join(':') : undefined
}
