import type { SvcError } from '@svc/errors'
import type { ModelConfig } from './model-config.ts'
import type { ModelDirectory, ResolveOptions } from './resolve.ts'

/** Models that no file describes. */
export interface FurtherModels {
  find(name: string): ModelConfig | undefined
  list(): readonly ModelConfig[]
  /** Gives the error of a request for a name that nothing has. @default the name is unknown */
  explainMissing?(): SvcError | undefined
}

/** Joins lists of further models. Where two have a name, the first one counts. */
export function joinFurtherModels(...all: readonly FurtherModels[]): FurtherModels {
  const findFirst = <T>(ask: (one: FurtherModels) => T | undefined): T | undefined => {
    for (const one of all) {
      const found = ask(one)
      if (found !== undefined) return found
    }
    return undefined
  }
  return {
    find: (name) => findFirst((one) => one.find(name)),
    list() {
      const byName = new Map<string, ModelConfig>()
      for (const model of all.flatMap((one) => one.list()).toReversed()) byName.set(model.name, model)
      return [...byName.values()]
    },
    explainMissing: () => findFirst((one) => one.explainMissing?.()),
  }
}

const LATEST = ':latest'

/** Adds models to a directory. Where a name is also that of a file, the file counts. */
export function addFurtherModels(directory: ModelDirectory, further: FurtherModels): ModelDirectory {
  function findFurther(name: string, { acceptLatest = false }: ResolveOptions = {}): ModelConfig | undefined {
    const exact = further.find(name)
    if (exact !== undefined || !acceptLatest || !name.endsWith(LATEST)) return exact
    return further.find(name.slice(0, -LATEST.length))
  }
  return {
    resolve(name, options) {
      const found = directory.resolve(name, options) ?? findFurther(name, options)
      const failure = found === undefined ? further.explainMissing?.() : undefined
      if (failure !== undefined) throw failure
      return found
    },
    findName: (name, options) => directory.findName(name, options) ?? findFurther(name, options)?.name,
    find: (name) => directory.find(name) ?? further.find(name),
    findDefault: (usecase, isMeant) => directory.findDefault(usecase, isMeant),
    findFault: (name) => directory.findFault(name),
    list(options) {
      const files = directory.list(options)
      const added = further.list()
      if (added.length === 0) return files
      const names = new Set(files.map(({ name }) => name))
      return [...files, ...added.filter(({ name }) => !names.has(name))].toSorted((one, other) =>
        Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)),
      )
    },
  }
}
