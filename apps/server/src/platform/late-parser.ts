import type { ParseModelFile } from '../catalog/yaml-files.ts'

/** Says that a model file was to be read before its parser was loaded. */
export class ParserMissing extends Error {
  override readonly name = 'ParserMissing'
}

/** What reads model files. A start without such files does without its modules. */
export interface LateParser {
  /** @throws {ParserMissing} before {@link LateParser.load} has settled */
  readonly parse: ParseModelFile
  load(): Promise<void>
}

/** A parser that is not loaded yet. */
export function createLateParser(): LateParser {
  let parseFile: ParseModelFile | undefined
  return {
    parse(content, options) {
      if (parseFile === undefined) throw new ParserMissing('what reads model files is not loaded yet')
      return parseFile(content, options)
    },
    async load() {
      parseFile ??= (await import('../catalog/config-file.ts')).parseModelFile
    },
  }
}
