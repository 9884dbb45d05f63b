import { lstat, mkdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { SvcError } from '@svc/errors'
import { cutPath } from '../catalog/keys/named-paths.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { readSlotSavePath } from '../catalog/slot-save-path.ts'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { isSafeName, toModelFileName } from '../files/safe-path.ts'

/** The parts of a model that say where its states are. */
export type SlotModel = Pick<ModelConfig, 'name' | 'folder' | 'options' | 'slotSavePath'>

/** A folder of the models folder, from there. */
interface StateFolder {
  readonly modelsPath: string
  /** Its segments, the last one being that of the model. */
  readonly segments: readonly string[]
}

/**
 * Finds the folder for the states of a model.
 *
 * @param reserves whether a path takes the place of a file of this server
 * @throws {SvcError} `invalid_request`: `slot_save_path_missing`; `slot_save_path_refused` for a path outside of the
 *   models folder
 */
export function findStateFolder(model: SlotModel, reserves: (path: string) => boolean): StateFolder {
  const { name, folder } = model
  const path = readSlotSavePath(model)
  if (path === undefined) {
    throw new SvcError('invalid_request', `model "${name}" has no slot_save_path, so its slots cannot be saved`, {
      code: 'slot_save_path_missing',
      details: { param: 'model' },
    })
  }
  const inside = cutPath(isAbsolute(path) ? relative(folder, path) : path)
  if (!isSafeName(inside) || reserves(join(folder, inside)))
    throw pathRefused(name, 'it must be a folder below the models folder')
  return { modelsPath: folder, segments: [...inside.split('/'), toModelFileName(name)] }
}

/**
 * Makes the folder for the states of a model, only for this user. A link on the way is refused, so that nothing is
 * written outside of the models folder.
 *
 * @returns its real path
 * @throws {SvcError} as {@link findStateFolder}; `disk_full`, `not_writable`, `file_failed`
 */
export async function makeStateFolder(model: SlotModel, reserves: (path: string) => boolean): Promise<string> {
  const { modelsPath, segments } = findStateFolder(model, reserves)
  let path = await realpath(modelsPath).catch((error: unknown) => {
    throw toFileError(error, 'read', modelsPath)
  })
  for (const segment of segments) {
    path = join(path, segment)
    await makeSegment(path, model.name)
  }
  return path
}

async function makeSegment(path: string, model: string): Promise<void> {
  try {
    await mkdir(path, 0o700)
  } catch (error) {
    if (readSystemCode(error) !== 'EEXIST') throw toFileError(error, 'made', path)
    if (!(await lstat(path)).isDirectory()) throw pathRefused(model, `${path.split(sep).at(-1)} is not a folder`)
  }
}

/** Finds the folder with the states of a model; undefined where there is none. @throws as {@link findStateFolder} */
export async function openStateFolder(
  model: SlotModel,
  reserves: (path: string) => boolean,
): Promise<string | undefined> {
  const { modelsPath, segments } = findStateFolder(model, reserves)
  const root = await realpath(modelsPath).catch(() => undefined)
  if (root === undefined) return undefined
  const path = join(root, ...segments)
  const real = await realpath(path).catch(() => undefined)
  // A link on the way leads elsewhere.
  return real === path ? path : undefined
}

function pathRefused(model: string, reason: string): SvcError {
  return new SvcError('invalid_request', `the slot_save_path of model "${model}" cannot be used: ${reason}`, {
    code: 'slot_save_path_refused',
    details: { param: 'model' },
  })
}
