import { SvcError } from '@svc/errors'
import { checkName, toFileName } from '../files/safe-path.ts'
import { formatProblem } from './config-problem.ts'
import { type DefaultsContext, withDefaults } from './defaults.ts'
import type { ConfigStore } from './folder-store.ts'
import type { FailoverTarget, ModelConfig } from './model-config.ts'
import { hasFailover, listFailoverTargets, servesRequests } from './serving.ts'
import { isUsecase } from './usecase-names.ts'
import { hasUsecase } from './usecases.ts'

/** Finds models by the names that clients use, with defaults filled in. */
export interface ModelDirectory {
  /**
   * Gives the model of a name and follows an alias one hop; undefined when there is none. Gives the same object while
   * nothing has changed.
   *
   * @throws {SvcError} `invalid_request`: `invalid_name` for an impossible name, `alias_broken` for an alias of a
   *   missing model or of another alias
   */
  resolve(name: string, options?: ResolveOptions): ModelConfig | undefined
  /** Gives the name in the folder that a client means by a name: that of a model, or an alias. */
  findName(name: string, options?: ResolveOptions): string | undefined
  /** As {@link resolve}, for callers that only ask whether a model exists: undefined when that throws. */
  find(name: string): ModelConfig | undefined
  /**
   * Gives the model for a usecase when a request names none: the preferred one, else the first by name that is not
   * disabled and has its weights. A demo model is chosen only when there is no other, also one that is not listed.
   *
   * @param isMeant whether a model counts, by its own name or as an alias of it. @default each does
   */
  findDefault(usecase: string, isMeant?: (model: ModelConfig) => boolean): DefaultModel | undefined
  /**
   * Gives the fault of the model file of a name that gives no model, as `file:line: key: reason`; undefined without
   * one.
   */
  findFault(name: string): string | undefined
  /** Lists every model in byte order, including aliases. */
  list(options?: { readonly includeReferenced?: boolean | undefined }): readonly ModelConfig[]
}

/** The model of requests that name none. */
export interface DefaultModel {
  /** The name by which it was chosen: its own, or that of an alias. */
  readonly name: string
  readonly model: ModelConfig
}

/** Options for reading names. */
export interface ResolveOptions {
  /** Whether `name:latest` also means `name`, as clients of the alternate ecosystem write it. @default false */
  readonly acceptLatest?: boolean | undefined
}

const LATEST = ':latest'

/** Defaults of models, and the model that requests without a name are for. */
export interface DirectoryContext extends DefaultsContext {
  /** The default model, where it can serve a request; the first one that can otherwise. @default none */
  readonly preferred?: string | undefined
}

/** Creates a directory of a store. */
export function createModelDirectory(store: ConfigStore, context: DirectoryContext): ModelDirectory {
  const filled = new WeakMap<ModelConfig, ModelConfig>()
  const fill = (model: ModelConfig): ModelConfig => {
    const before = filled.get(model)
    if (before !== undefined) return before
    const now = withDefaults(model, context)
    filled.set(model, now)
    return now
  }
  const linked = new WeakMap<ModelConfig, ModelConfig>()
  /** Adds the failover targets to a model: gives the same object while they are the same. */
  const link = (model: ModelConfig): ModelConfig => {
    if (!hasFailover(model)) return model
    const targets = findTargets(store, model).map(({ name, model: found }) => ({ name, model: fill(found) }))
    const before = linked.get(model)
    if (before !== undefined && isSameList(listFailoverTargets(before), targets)) return before
    const now: ModelConfig = { ...model, serving: { kind: 'failover', targets } }
    linked.set(model, now)
    return now
  }
  function resolve(name: string, options: ResolveOptions = {}): ModelConfig | undefined {
    checkName(name, 'model')
    const model = find(store, name, options)
    return model && link(fill(followAlias(store, model)))
  }

  return {
    resolve,
    findName: (name, options = {}) => find(store, name, options)?.name,
    find(name) {
      try {
        return resolve(name)
      } catch (error) {
        if (SvcError.is(error)) return undefined
        throw error
      }
    },
    findDefault(usecase, isMeant = () => true) {
      if (!isUsecase(usecase)) return undefined
      const serves = (each: ModelConfig): boolean => !each.disabled && hasUsecase(each, usecase) && servesRequests(each)
      const preferred = findPreferred(store, context)
      if (preferred !== undefined && isHere(preferred.model) && serves(preferred.model) && isMeant(preferred.named))
        return { name: preferred.named.name, model: link(fill(preferred.model)) }
      const isFit = (each: ModelConfig): boolean => serves(each) && isMeant(each)
      const fit = store.list().filter(isFit)
      // A model whose weights are missing or broken is chosen only when there is no other.
      const ready = fit.filter(isHere)
      const listed = ready.find(({ source }) => source !== 'demo') ?? ready[0]
      const model = listed ?? findHiddenDemo(store, isFit) ?? fit[0]
      return model && { name: model.name, model: link(fill(model)) }
    },
    findFault(name) {
      const files = ['.yaml', '.yml'].flatMap((ending) => [`${name}${ending}`, `${toFileName(name)}${ending}`])
      const problem = store.problems().find(({ file }) => files.includes(file))
      return problem && formatProblem(problem)
    },
    list: (options) => store.list(options).map((model) => link(fill(model))),
  }
}

/** Whether the weights of a model are there and can be read. */
function isHere({ weightsMissing, weightsError }: ModelConfig): boolean {
  return weightsMissing !== true && weightsError === undefined
}

/** The default model with the name that it has in the setting, which may be an alias; undefined where it leads nowhere. */
function findPreferred(
  store: ConfigStore,
  { preferred: name = '' }: DirectoryContext,
): { readonly named: ModelConfig; readonly model: ModelConfig } | undefined {
  const named = name === '' ? undefined : store.get(name)
  if (named?.alias === undefined) return named && { named, model: named }
  const model = store.get(named.alias)
  return model === undefined || model.alias !== undefined ? undefined : { named, model }
}

/** A demo model that models of the folder have taken off the list. */
function findHiddenDemo(store: ConfigStore, serves: (model: ModelConfig) => boolean): ModelConfig | undefined {
  return store.list({ includeReferenced: true }).find((each) => each.source === 'demo' && isHere(each) && serves(each))
}

function find(store: ConfigStore, name: string, { acceptLatest = false }: ResolveOptions): ModelConfig | undefined {
  const exact = store.get(name)
  if (exact !== undefined || !acceptLatest || !name.endsWith(LATEST)) return exact
  return store.get(name.slice(0, -LATEST.length))
}

function isSameList(before: readonly FailoverTarget[], now: readonly FailoverTarget[]): boolean {
  return before.length === now.length && now.every(({ model }, index) => before[index]?.model === model)
}

/** Finds the existing targets of a model. */
function findTargets(store: ConfigStore, { failover }: ModelConfig): FailoverTarget[] {
  return (failover?.targets ?? []).flatMap(({ model: name = '' }) => {
    const found = store.get(name)
    const model = found?.alias === undefined ? found : store.get(found.alias)
    return model === undefined ? [] : [{ name, model }]
  })
}

function followAlias(store: ConfigStore, model: ModelConfig): ModelConfig {
  if (model.alias === undefined) return model
  const target = store.get(model.alias)
  if (target === undefined) throw brokenAlias(model, `model "${model.alias}", which does not exist`)
  if (target.alias !== undefined) throw brokenAlias(model, `"${model.alias}", which is an alias itself`)
  return target
}

function brokenAlias(model: ModelConfig, target: string): SvcError {
  return new SvcError('invalid_request', `model "${model.name}" is an alias of ${target}`, {
    code: 'alias_broken',
    details: { type: 'invalid_request_error', param: 'model' },
  })
}
