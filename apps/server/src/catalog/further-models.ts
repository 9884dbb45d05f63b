import type { ModelConfig } from './model-config.ts'
import type { ModelDirectory, ResolveOptions } from './resolve.ts'

/** Models that no file describes. */
export interface FurtherModels {
  find(name: string): ModelConfig | undefined
  list(): readonly ModelConfig[]
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
    resolve: (name, options) => directory.resolve(name, options) ?? findFurther(name, options),
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
