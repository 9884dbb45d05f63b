import { unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Document } from 'yaml'
import { modelExists, moveExclusively, refuseExisting, writeExclusively } from '../catalog/add-model.ts'
import { createConfigStore } from '../catalog/config-store.ts'
import { makeFileFolder } from '../files/make-folder.ts'
import { checkName, toFileName } from '../files/safe-path.ts'
import { createTemporaryPath } from '../files/temporary-files.ts'
import { convertWhisper } from './convert-whisper.ts'

/** Arguments of `svc models convert`. */
export interface ConvertModelOptions {
  /** Folder of faster-whisper. */
  readonly source: string
  /** The models folder; created if it is missing. */
  readonly folder: string
  /** Name of the model for clients. @default the name of the source, with hyphens for white space */
  readonly name?: string | undefined
  readonly signal: AbortSignal
}

/** The written files. */
export interface ConvertedModel {
  readonly name: string
  /** Name of the ggml file inside the folder. */
  readonly weightsFile: string
  /** Name of the YAML file inside the folder. */
  readonly configFile: string
  readonly sizeBytes: number
}

/**
 * Converts a model to a form that a backend of this server reads, and writes its model file. Overwrites nothing. A failure
 * or an abort leaves nothing behind.
 *
 * @throws {SvcError} `invalid_request` (`invalid_name`), `conflict` (`model_exists`), `unprocessable` (`bad_model_file`),
 *   `insufficient_storage` (`disk_full`) or `internal` (`file_failed`); the signal's reason
 */
export async function convertModel(options: ConvertModelOptions): Promise<ConvertedModel> {
  const { source, folder, signal } = options
  const name = options.name ?? basename(source).replaceAll(/\s+/g, '-')
  checkName(name, 'model')
  await makeFileFolder(folder)
  if (createConfigStore({ folder }).get(name) !== undefined) throw modelExists(name)
  const configFile = `${toFileName(name)}.yaml`
  const weightsFile = `ggml-${toFileName(name)}.bin`
  await refuseExisting(folder, [configFile, weightsFile])

  const target = join(folder, weightsFile)
  const sizeBytes = await convertExclusively(source, target, signal)
  try {
    signal.throwIfAborted()
    const text = new Document({ name, backend: 'whisper', parameters: { model: weightsFile } }).toString()
    await writeExclusively(join(folder, configFile), text)
  } catch (error) {
    await unlink(target).catch(() => undefined)
    throw error
  }
  return { name, weightsFile, configFile, sizeBytes }
}

async function convertExclusively(source: string, target: string, signal: AbortSignal): Promise<number> {
  const temporary = createTemporaryPath(target)
  try {
    const sizeBytes = await convertWhisper(source, temporary, signal)
    await moveExclusively(temporary, target)
    return sizeBytes
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}
