/** The reason why a YAML text cannot be read. It stays inside this module; callers get it as a value. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault'
  /** Line in the file, from 1; undefined when the whole file is at fault. */
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.line = line
  }
}
