import { link, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { toProcessKey } from '../cluster/contract/process-key.ts'
import { downloadFiles, type SetProgress } from '../downloads/download-files.ts'
import type { Downloader } from '../downloads/downloader.ts'
import { resolveUri } from '../downloads/resolve-uri.ts'
import { toFileError } from '../files/file-error.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { checkContent } from '../galleries/fetch-model-files.ts'
import type { ModelEntry } from '../galleries/gallery.ts'
import type { GalleryIndexes } from '../galleries/gallery-indexes.ts'
import { EMPTY_DOCUMENT, fetchDocument } from '../galleries/model-document.ts'
import { type ModelPlan, planModel } from '../galleries/model-plan.ts'
import type { AddressParts } from '../galleries/read-address.ts'
import type { Clock, Logger } from '../ports.ts'
import { noteHash, noteNewHash } from './files/stored-files.ts'

/** Longest time for all models, milliseconds. What came by then is gone on with at the next start. */
const MAX_MS = 60 * 60_000
const MAX_MODELS = 100
/** Pause between two lines about progress, milliseconds. */
const TELL_MS = 10_000
const MIB = 2 ** 20

/** Parts of {@link prefetchModels}. */
export interface PrefetchParts extends AddressParts {
  /** The models folder of the worker. */
  readonly modelsPath: string
  /** Replicas that the worker may run of one model: each has its files in a folder of its own. */
  readonly replicas: number
  readonly indexes: Pick<GalleryIndexes<ModelEntry>, 'find'>
  readonly downloader: Downloader
  readonly concurrency: number
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
}

/**
 * Fetches the files of models where front ends would send them to, so that the first load sends nothing. A model that
 * cannot be fetched is left to the front ends.
 *
 * @param names entries of galleries, `name` or `gallery@name`, at most 100
 * @throws the signal's reason
 */
export async function prefetchModels(
  names: readonly string[],
  parts: PrefetchParts,
  signal: AbortSignal,
): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)])
  for (const name of names.slice(0, MAX_MODELS)) {
    try {
      await prefetch(name, parts, within)
      parts.logger.info({ model: name }, 'the files of a model are here')
    } catch (err) {
      signal.throwIfAborted()
      parts.logger.warn({ err, model: name }, 'a model was not fetched in advance; front ends send it')
    }
  }
}

async function prefetch(id: string, parts: PrefetchParts, signal: AbortSignal): Promise<void> {
  const plan = await readPlan(id, parts, signal)
  const folder = (replica: number): string => join(parts.modelsPath, toProcessKey(plan.name, replica))
  const files = plan.files.map(({ filename, uri, sha256 }) => {
    const resolved = resolveUri(uri, 'public', parts.services())
    if (resolved.kind !== 'http') throw leftToFrontEnds(filename)
    const target = join(folder(0), filename)
    const check = (path: string): Promise<void> => checkContent(path, filename)
    return { filename, target, source: resolved.source, sha256, check }
  })
  if (files.length === 0) throw leftToFrontEnds(plan.name)
  const { downloader, concurrency } = parts
  const done = await downloadFiles(downloader, { files, concurrency, signal, onProgress: createProgress(id, parts) })
  for (const [index, { filename, target }] of files.entries()) {
    // A front end may have sent another file meanwhile.
    const sha256 = await noteNewHash(target, done[index]?.sha256 ?? '')
    for (let replica = 1; replica < parts.replicas; replica += 1) {
      await linkFile(target, join(folder(replica), filename))
      await noteHash(join(folder(replica), filename), sha256)
    }
  }
}

async function readPlan(id: string, parts: PrefetchParts, signal: AbortSignal): Promise<ModelPlan> {
  const listed = await parts.indexes.find(id, { signal })
  if (listed === undefined) {
    throw new SvcError('not_found', `no model found with name "${id}" in the galleries`, { code: 'model_not_found' })
  }
  const { entry } = listed
  return planModel(entry, entry.url === '' ? EMPTY_DOCUMENT : await fetchDocument(entry.url, parts, signal), {})
}

/** Replicas share the bytes. A file that comes later replaces one name and leaves the other. */
async function linkFile(from: string, to: string): Promise<void> {
  await makeFileFolder(dirname(to))
  try {
    await unlink(to).catch(() => undefined)
    await link(from, to)
  } catch (error) {
    throw toFileError(error, 'written', to)
  }
}

function createProgress(model: string, { clock, logger }: Pick<PrefetchParts, 'clock' | 'logger'>) {
  let toldAt = clock.monotonic()
  return ({ currentBytes, totalBytes, target }: SetProgress): void => {
    if (clock.monotonic() - toldAt < TELL_MS) return
    toldAt = clock.monotonic()
    const figures = { megabytes: Math.round(currentBytes / MIB), of: Math.round(totalBytes / MIB) }
    logger.info({ model, file: basename(target), ...figures }, 'a model is fetched in advance')
  }
}

function leftToFrontEnds(what: string): SvcError {
  return new SvcError('not_implemented', `"${what}" has files of another kind than single ones over HTTP`, {
    code: 'not_prefetched',
  })
}
