/** Limits of a YAML text. */
export interface YamlLimits {
  /** Maximum size of the text in bytes. */
  readonly bytes: number
  /** Maximum nesting of lists and maps, with aliases followed. */
  readonly depth: number
  readonly keysPerMap: number
  readonly aliases: number
  /** Maximum number of lexical pieces; limits the time of a parse. */
  readonly lexemes: number
  /** Maximum number of values of the document, with every use of an alias counted. */
  readonly nodes: number
}

/** Limits of one model file. */
export const MODEL_FILE_LIMITS: YamlLimits = {
  bytes: 1024 * 1024,
  depth: 64,
  keysPerMap: 10_000,
  aliases: 100,
  lexemes: 150_000,
  nodes: 100_000,
}
