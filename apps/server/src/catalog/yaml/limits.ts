/** What a YAML text may cost. */
export interface YamlLimits {
  /** Largest text in bytes. */
  readonly bytes: number
  /** Nesting of lists and maps, aliases followed. */
  readonly depth: number
  readonly keysPerMap: number
  readonly aliases: number
  /** Lexical pieces of the text; what bounds the time of a parse. */
  readonly lexemes: number
  /** Values of the whole document, every use of an alias counted. */
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
