import { readFile } from 'node:fs/promises'
import type { ServerConfig } from '../../config/schema.ts'
import { StartRefused } from '../../config/start-refused.ts'
import { parseSchedulingConfig, type SchedulingDraft } from './scheduling-config.ts'

/** The options that hold rules of models. */
export type SchedulingSources = Pick<ServerConfig, 'modelScheduling' | 'modelSchedulingConfig'>

/**
 * Reads the rules of a configuration. The last rules of a model win: those of the option follow those of the file.
 *
 * @throws {StartRefused} for rules that cannot be read
 */
export async function readScheduling(config: SchedulingSources): Promise<readonly SchedulingDraft[]> {
  const { modelScheduling: text = '', modelSchedulingConfig: file = '' } = config
  try {
    const ofFile =
      file === '' ? [] : parseSchedulingConfig(await readFile(file, 'utf8'), `SVC_MODEL_SCHEDULING_CONFIG (${file})`)
    const ofText = text === '' ? [] : parseSchedulingConfig(text, 'SVC_MODEL_SCHEDULING')
    return [...ofFile, ...ofText]
  } catch (cause) {
    throw new StartRefused(cause instanceof Error ? cause.message : String(cause), { exitCode: 78, cause })
  }
}
