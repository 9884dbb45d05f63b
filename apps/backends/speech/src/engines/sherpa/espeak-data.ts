import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { badModel } from '../../errors.ts'

/** Folders in which packages of systems put the data of espeak-ng. */
const SHARED = ['/usr/share', '/usr/local/share', '/opt/homebrew/share']

/**
 * Finds the data folder of espeak-ng: the one of the option, one beside the model, else one of the system.
 *
 * @throws SpeechError `unprocessable` when there is none
 */
export async function findEspeakData(option: string | undefined, modelFolder: string): Promise<string> {
  if (option !== undefined) {
    const folder = path.resolve(modelFolder, option)
    if (await isData(folder)) return folder
    throw badModel(`option espeak_data: ${path.basename(folder)} is not a data folder of espeak-ng`)
  }
  const libraries = (await readdir('/usr/lib').catch(() => [])).map((name) => path.join('/usr/lib', name))
  for (const parent of [modelFolder, ...SHARED, ...libraries]) {
    const folder = path.join(parent, 'espeak-ng-data')
    if (await isData(folder)) return folder
  }
  throw badModel(
    'the voice needs the data of espeak-ng: install them (Debian: apt install espeak-ng-data), or name their folder in the option espeak_data',
  )
}

async function isData(folder: string): Promise<boolean> {
  const found = await stat(path.join(folder, 'phontab')).catch(() => undefined)
  return found?.isFile() === true
}
