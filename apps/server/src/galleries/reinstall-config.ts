import { basename, join } from 'node:path'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { SourceFile } from '../catalog/key-file-gate.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { toReason } from '../files/file-error.ts'
import { keepCopy } from '../files/keep-copy.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import type { Clock, Logger } from '../ports.ts'
import { readRecord } from './install-record.ts'
import { type KeptConfig, keepChanges } from './keep-changes.ts'
import { mergeConfig } from './merge-config.ts'
import { type ModelPlan, parsePlanned } from './model-plan.ts'

/** The model file that an installation writes. */
export interface ReinstalledConfig {
  readonly text: string
  readonly model: ModelConfig
  /** The file that it is made of. */
  readonly before?: SourceFile | undefined
  /** Keys that requests have set so far. */
  readonly requested: Readonly<Record<string, unknown>> | undefined
}

/** Parts of {@link reinstallConfig}. */
export interface ReinstallParts {
  readonly modelsPath: string
  readonly modelFiles: Pick<ConfigStore, 'get'>
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
}

const MAX_BYTES = 1024 * 1024

/**
 * Writes the model file of a plan over one that is there: changes that somebody has made stay. Where one of them goes, a
 * copy of the file stays beside it, and the log says which keys go.
 *
 * @param asked keys that the request of this installation sets
 * @throws {SvcError} `disk_full`, `file_failed`
 */
export async function reinstallConfig(
  plan: ModelPlan,
  asked: Readonly<Record<string, unknown>>,
  parts: ReinstallParts,
): Promise<ReinstalledConfig> {
  const { modelsPath, modelFiles, clock, logger } = parts
  const { name, configFile: file } = plan
  const path = join(modelsPath, file)
  const record = await readRecord(modelsPath, name)
  const wishes = mergeConfig(record?.requested ?? {}, asked)
  const requested = Object.keys(wishes).length === 0 ? undefined : wishes
  const fresh = { text: plan.configText, model: plan.model, requested }
  const read = await readRegularFile(path, { maxBytes: MAX_BYTES, followsLink: false }).catch(toReason)
  if (typeof read === 'string') return fresh
  const text = read.toString('utf8')
  const isUntouched = text === record?.configText && record.requested === undefined
  if (isUntouched || text === plan.configText) return fresh
  const replace = async (keys: readonly string[]): Promise<void> => {
    const copy = await keepCopy(path, { word: 'replaced', now: clock.now() })
    logger.warn(
      { model: name, keys, copy: copy === undefined ? undefined : basename(copy) },
      'installation replaces changes of a model file',
    )
  }
  const present = modelFiles.get(name)
  const kept = present?.source === 'yaml' && present.file === file ? tryToKeep(present.raw) : undefined
  if (kept === undefined) {
    await replace([])
    return fresh
  }
  if (kept.replaced.length > 0) await replace(kept.replaced)
  if (kept.kept.length > 0) logger.info({ model: name, keys: kept.kept }, 'installation keeps changes of a model file')
  return { text: kept.text, model: kept.model, before: { file, text }, requested }

  /** Undefined where the changes do not fit the new configuration. */
  function tryToKeep(raw: ModelConfig['raw']): KeptConfig | undefined {
    try {
      const installed = record?.configText === undefined ? undefined : parsePlanned(record.configText, file).raw
      const history = { installed, requested: record?.requested ?? {}, text, present: raw, next: plan.model.raw, asked }
      return keepChanges(history, file)
    } catch (error) {
      logger.debug({ err: error, model: name }, 'changes of a model file do not fit its new configuration')
      return undefined
    }
  }
}
