import { createReadStream } from 'node:fs'
import { link, lstat, open, realpath, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SvcError } from '@svc/errors'
import { Document } from 'yaml'
import { readSystemCode, toFileError, toReason } from '../files/file-error.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { checkName, toFileName } from '../files/safe-path.ts'
import { createTemporaryPath } from '../files/temporary-files.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { NO_ARCHITECTURE } from './attach-weights.ts'
import { createConfigStore } from './config-store.ts'
import type { GgufSummary } from './gguf-summary.ts'
import { isStandalone } from './loose-weights.ts'
import { openModelFolder } from './model-folder.ts'
import { GGUF_BACKEND, isGgufName } from './to-model-config.ts'
import { createWeightsInspector } from './weights.ts'
import { toWeightsKind } from './weights-kind.ts'

/** The way in which a file gets into the models folder. */
export type Transfer = 'copy' | 'link' | 'move'

/** Arguments of `svc models add`. */
export interface AddModelOptions {
  /** Path of a GGUF file. */
  readonly source: string
  /** The models folder; created if it is missing. */
  readonly folder: string
  /**
   * Name of the model for clients. @default the name of the file without its extension, with hyphens for white space
   */
  readonly name?: string | undefined
  /**
   * A link shares the file with its source and takes no space; a move removes the source. Across file systems both
   * copy. @default 'copy'
   */
  readonly transfer?: Transfer | undefined
  /** Called before the first of the files is there. */
  readonly onBegin?: ((files: Pick<AddedModel, 'weightsFile' | 'configFile'>) => Promise<void>) | undefined
  readonly onProgress?: ((done: { readonly copiedBytes: number; readonly totalBytes: number }) => void) | undefined
  readonly signal: AbortSignal
}

/** The written files. */
export interface AddedModel {
  readonly name: string
  /** Name of the GGUF file inside the folder. */
  readonly weightsFile: string
  /** Name of the YAML file inside the folder. */
  readonly configFile: string
  readonly sizeBytes: number
  /** Whether the file has no chat template, so that the model only continues text. */
  readonly continuesText?: true | undefined
  /** Reason why the source of a move could not be removed; undefined when it is gone, or was to stay. */
  readonly keptSource?: string | undefined
}

const SPLIT = /-\d{5}-of-\d{5}\.gguf$/i
const WEIGHTS_MODE = 0o644

/**
 * Puts a GGUF file into the models folder under its own name: checks the file, copies it to a temporary name in the
 * folder, renames it, then writes a model file of three keys. Overwrites nothing. A failure or an abort leaves nothing
 * behind.
 *
 * @throws {SvcError} `invalid_request` (`invalid_name`, `not_a_model`), `not_found` (`file_not_found`), `conflict`
 *   (`model_exists`), `insufficient_storage` (`disk_full`) or `internal` (`file_failed`); the signal's reason
 */
export async function addModel(options: AddModelOptions): Promise<AddedModel> {
  const { folder, signal } = options
  const source = await realpath(options.source).catch((error: unknown) => {
    throw new SvcError('not_found', `${basename(options.source)}: ${toReason(error)}`, { code: 'file_not_found' })
  })
  const name = options.name ?? nameModel(basename(options.source))
  checkName(name, 'model')
  const summary = checkWeights(source)
  const { sizeBytes } = summary
  await makeFileFolder(folder)
  if (createConfigStore({ folder }).get(name) !== undefined) throw modelExists(name)

  const configFile = `${toFileName(name)}.yaml`
  const isInside = dirname(source) === (await realpath(folder))
  const weightsFile = isInside ? basename(source) : `${toFileName(name)}.gguf`
  await refuseExisting(folder, isInside ? [configFile] : [configFile, weightsFile])
  await options.onBegin?.({ weightsFile, configFile })

  const target = join(folder, weightsFile)
  const moved = isInside ? undefined : await transfer(source, target, { ...options, totalBytes: sizeBytes })
  try {
    signal.throwIfAborted()
    await writeExclusively(join(folder, configFile), formatModelFile(name, weightsFile))
  } catch (error) {
    if (moved === 'renamed') await rename(target, source).catch(() => undefined)
    else if (!isInside) await unlink(target).catch(() => undefined)
    throw error
  }
  // The source is removed last, so that an earlier failure keeps it. The model is there even if its source stays.
  const keptSource = moved === 'doubled' && options.transfer === 'move' ? await removeSource(source) : undefined
  const isBase = toWeightsKind(summary) === 'generator' && !summary.hasChatTemplate
  return { name, weightsFile, configFile, sizeBytes, continuesText: isBase ? true : undefined, keptSource }
}

/** Removes a source. @returns the reason why it stays */
async function removeSource(source: string): Promise<string | undefined> {
  try {
    await unlink(source)
    return undefined
  } catch (error) {
    return toReason(error)
  }
}

/** The name that a model gets after its file. */
export function nameModel(file: string): string {
  return file.replace(/\.gguf$/i, '').replaceAll(/\s+/g, '-')
}

/** @throws {SvcError} `invalid_request` (`not_a_model`) for the name of a file that is not a model by itself */
export function checkWeightsName(file: string): void {
  if (!isGgufName(file)) throw notAModel(file, 'is not a GGUF file: its name does not end in .gguf')
  if (SPLIT.test(file)) throw notAModel(file, 'is one part of several: copy all parts into the models folder')
}

/** A file that cannot be a model. @param reason goes on after the name of the file */
export function notAModel(file: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${file} ${reason}`, { code: 'not_a_model' })
}

/** A name that a model has already. */
export function modelExists(name: string): SvcError {
  return exists(`a model named "${name}"`)
}

/** Checks the header of the weights. */
function checkWeights(path: string): GgufSummary {
  const file = basename(path)
  const refuse = (reason: string) => notAModel(file, reason)
  checkWeightsName(file)
  const weights = createWeightsInspector(openModelFolder(dirname(path))).inspect(file)
  if (weights === undefined) throw refuse('is not a regular file')
  if (!weights.usable) throw refuse(weights.fault)
  if (weights.summary.architecture === '') throw refuse(NO_ARCHITECTURE)
  if (!isStandalone(file, weights.summary)) throw refuse('is not a model by itself, but belongs to one')
  return weights.summary
}

function exists(what: string): SvcError {
  return new SvcError('conflict', `${what} exists already`, { code: 'model_exists' })
}

export async function refuseExisting(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const found = await lstat(join(folder, file)).catch(() => undefined)
    if (found !== undefined) throw exists(file)
  }
}

/**
 * Puts the weights in place, complete or not at all.
 *
 * @returns whether the source is still there beside them
 */
async function transfer(
  source: string,
  target: string,
  options: AddModelOptions & { readonly totalBytes: number },
): Promise<'doubled' | 'renamed'> {
  if ((options.transfer ?? 'copy') !== 'copy' && (await tryLink(source, target))) return 'doubled'
  if (options.transfer === 'move' && (await tryRename(source, target))) return 'renamed'
  const temporary = createTemporaryPath(target)
  try {
    await copy(source, temporary, options)
    await moveExclusively(temporary, target)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
  return 'doubled'
}

/** Renames on a file system without links. @returns false where the target is on another one */
async function tryRename(source: string, target: string): Promise<boolean> {
  return rename(source, target).then(
    () => true,
    () => false,
  )
}

async function tryLink(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target)
    return true
  } catch (error) {
    if (readSystemCode(error) === 'EEXIST') throw exists(basename(target))
    return false
  }
}

async function copy(
  source: string,
  target: string,
  options: AddModelOptions & { readonly totalBytes: number },
): Promise<void> {
  const { signal, totalBytes, onProgress } = options
  const file = await open(target, 'wx', WEIGHTS_MODE).catch((error: unknown) => {
    throw toFileError(error, 'written', target)
  })
  try {
    let copiedBytes = 0
    for await (const chunk of createReadStream(source, { highWaterMark: 1024 * 1024, signal })) {
      await file.writeFile(chunk)
      copiedBytes += chunk.length
      onProgress?.({ copiedBytes, totalBytes })
    }
    if (copiedBytes !== totalBytes) throw new Error('the source changed while it was copied')
    await file.sync()
  } catch (error) {
    signal.throwIfAborted()
    throw toFileError(error, 'written', target)
  } finally {
    await file.close()
  }
}

/** Renames a finished file unless the name is taken by now. */
export async function moveExclusively(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target)
  } catch (error) {
    if (readSystemCode(error) === 'EEXIST') throw exists(basename(target))
    // A file system without links: the name was free a moment ago.
    await rename(temporary, target).catch((cause: unknown) => {
      throw toFileError(cause, 'written', target)
    })
    return
  }
  await unlink(temporary)
}

/** Writes a file unless its name is taken. @throws {SvcError} `conflict` (`model_exists`); of `writeFileAtomic` */
export async function writeExclusively(target: string, text: string): Promise<void> {
  const temporary = createTemporaryPath(target)
  await writeFileAtomic(temporary, text, { mode: WEIGHTS_MODE })
  try {
    await moveExclusively(temporary, target)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}

/** The library writes the text, so that a name cannot add keys. */
function formatModelFile(name: string, weightsFile: string): string {
  return new Document({ name, backend: GGUF_BACKEND, parameters: { model: weightsFile } }).toString()
}
