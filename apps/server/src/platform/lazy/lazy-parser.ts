import type { ParseModelFile } from '../../catalog/yaml-files.ts'
import { createLazy } from '../../concurrency/lazy.ts'

/** Thrown when a model file is read before its parser is loaded. */
export class ParserMissing extends Error {
  override readonly name = 'ParserMissing'
}

/** A parser of model files. A start without such files does not load its modules. */
export interface LazyParser {
  /** @throws {ParserMissing} before {@link LazyParser.load} has settled */
  readonly parse: ParseModelFile
  load(): Promise<void>
}

/** A parser that is not loaded yet. */
export function createLazyParser(): LazyParser {
  const parser = createLazy(async () => (await import('../../catalog/config-file.ts')).parseModelFile)
  return {
    parse(content, options) {
      const parse = parser.opened()
      if (parse === undefined) throw new ParserMissing('the reader of model files is not loaded yet')
      return parse(content, options)
    },
    async load() {
      await parser.open()
    },
  }
}
