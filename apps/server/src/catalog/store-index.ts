import { isSafeName, toFileName } from '../files/safe-path.ts'
import { describeWeights } from './attach-weights.ts'
import type { ConfigProblem } from './config-problem.ts'
import { createLooseModel, isStandalone } from './loose-weights.ts'
import type { ModelConfig } from './model-config.ts'
import { compareBytes, type ModelFolder } from './model-folder.ts'
import { listRouterProblems } from './router-problems.ts'
import { hasUsecase } from './usecases.ts'
import type { Weights } from './weights.ts'
import type { YamlFile } from './yaml-files.ts'

/** One model file, and its models with the facts of the weights. */
export interface YamlInput {
  readonly file: YamlFile
  readonly models: readonly ModelConfig[]
}

/** One GGUF file in the folder. */
export interface LooseInput {
  readonly file: string
  readonly weights: Weights
}

/** All files of a store, in byte order of their names. */
export interface IndexInput {
  readonly folder: ModelFolder
  readonly yaml: readonly YamlInput[]
  readonly loose: readonly LooseInput[]
  readonly demo: readonly ModelConfig[]
  readonly demoMode: DemoMode
}

/**
 * When demo models are listed: while the folder holds no model for their main use, always, never. A demo model that is
 * not listed stays usable by name, except with `false`.
 */
export type DemoMode = 'auto' | 'true' | 'false'

/** Models by name, and problems. */
export interface StoreIndex {
  /** Every model that can be named. */
  readonly byName: ReadonlyMap<string, ModelConfig>
  /** Listed models, in byte order. */
  readonly listed: readonly ModelConfig[]
  /** Models that are usable by name and not listed: GGUF files that model files refer to, and demo models that left. */
  readonly referenced: readonly ModelConfig[]
  readonly problems: readonly ConfigProblem[]
}

/** Builds the index of files: one model for each name, loose weights only when no model file uses them. */
export function buildIndex(input: IndexInput, previous: ReadonlyMap<string, ModelConfig>): StoreIndex {
  const byName = new Map<string, ModelConfig>()
  const problems: ConfigProblem[] = []
  const add = (model: ModelConfig): boolean => {
    const holder = byName.get(model.name)
    if (holder === undefined) byName.set(model.name, model)
    else problems.push(nameTaken(model, holder))
    return holder === undefined
  }
  const listed: ModelConfig[] = []
  for (const { file, models } of input.yaml) {
    problems.push(...file.problems)
    for (const model of models) {
      if (add(model)) listed.push(model)
      problems.push(...listWeightsProblems(model))
    }
  }
  const referenced: ModelConfig[] = []
  const used = listUsedFiles(listed)
  for (const loose of input.loose) {
    const model = toLooseModel(loose, { folder: input.folder, previous, problems, isUsed: used.has(loose.file) })
    if (model === undefined || byName.has(model.name)) continue
    byName.set(model.name, model)
    if (used.has(loose.file)) referenced.push(model)
    else listed.push(model)
  }
  const own = [...listed]
  for (const model of input.demo) {
    if (byName.has(model.name)) continue
    byName.set(model.name, model)
    if (input.demoMode === 'true' || !isReplaced(model, own)) listed.push(model)
    else referenced.push(model)
  }
  problems.push(...listAliasProblems(byName))
  const find = (name: string): ModelConfig | undefined => {
    const model = byName.get(name)
    return model?.alias === undefined ? model : byName.get(model.alias)
  }
  for (const model of byName.values()) problems.push(...listRouterProblems(model, find))
  listed.sort((left, right) => compareBytes(left.name, right.name))
  return { byName, listed, referenced, problems }
}

function nameTaken(model: ModelConfig, holder: ModelConfig): ConfigProblem {
  const reason = `"${model.name}" is already the name of the model in ${holder.file}`
  return { file: model.file, key: 'name', reason }
}

function listWeightsProblems(model: ModelConfig): ConfigProblem[] {
  const reason = describeWeights(model)
  return reason === undefined ? [] : [{ file: model.file, key: 'parameters.model', reason }]
}

/** Lists files in the folder that belong to models described elsewhere. */
function listUsedFiles(models: readonly ModelConfig[]): Set<string> {
  const files = models.flatMap(({ parameters, llm, options }) => [
    ...[parameters.model, llm.mmproj, llm.draftModel],
    // Engines take further files as `name:file`.
    ...options.map((option) => option.slice(option.search(/[:=]/) + 1)),
  ])
  return new Set(files.filter((file) => file !== undefined))
}

function toLooseModel(
  { file, weights }: LooseInput,
  from: {
    readonly folder: ModelFolder
    readonly previous: ReadonlyMap<string, ModelConfig>
    readonly problems: ConfigProblem[]
    readonly isUsed: boolean
  },
): ModelConfig | undefined {
  if (!isSafeName(file)) {
    from.problems.push({ file: toFileName(file), reason: 'has a name that no model can have' })
    return undefined
  }
  if (!weights.usable) {
    // The model file that uses it has reported this already.
    if (!from.isUsed) from.problems.push({ file, reason: weights.fault })
    return undefined
  }
  if (weights.summary.architecture === '' && !from.isUsed) {
    const reason =
      'does not name its architecture: no model by itself, name it in the model file of an engine that loads it'
    from.problems.push({ file, reason })
  }
  if (!isStandalone(file, weights.summary)) return undefined
  const before = from.previous.get(file)
  if (before?.source === 'file' && before.gguf === weights.summary) return before
  const found = from.folder.find(file)
  const modifiedAt = found?.found === true ? found.modifiedAt : 0
  return createLooseModel({ file, folder: from.folder.path, modifiedAt }, weights.summary)
}

/**
 * Whether a model of the folder does what a demo model is there for, which is its first use. Aliases and routers serve
 * through other models, and disabled models serve nobody, so they replace none.
 */
function isReplaced({ knownUsecases: [mainUse] }: ModelConfig, own: readonly ModelConfig[]): boolean {
  if (mainUse === undefined) return false
  return own.some(
    (model) => !model.disabled && model.alias === undefined && model.router === undefined && hasUsecase(model, mainUse),
  )
}

function listAliasProblems(byName: ReadonlyMap<string, ModelConfig>): ConfigProblem[] {
  return [...byName.values()].flatMap((model) => {
    if (model.alias === undefined) return []
    const target = byName.get(model.alias)
    const at = { file: model.file, key: 'alias' }
    if (target === undefined) return [{ ...at, reason: `there is no model "${model.alias}"` }]
    return target.alias === undefined ? [] : [{ ...at, reason: `"${model.alias}" is an alias itself` }]
  })
}
