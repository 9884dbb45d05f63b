/** Limits of a template. Past any of these it ends with a `template_limit` error. */
export interface JinjaLimits {
  /** Length of the source in UTF-16 code units. @default 1_048_576 */
  readonly maxSourceLength?: number | undefined
  /** Depth of tags inside tags, and of expressions inside expressions, when compiling. @default 100 */
  readonly maxNesting?: number | undefined
  /**
   * Work of one rendering: one step a statement, operation, list item or comparison, and one for every 16 code units
   * of text built, every 32 searched and every 4 looked at one by one. A million steps take some 200 ms.
   * @default 3_000_000
   */
  readonly maxSteps?: number | undefined
  /** Depth of running tags, expressions and macro calls, and of data walked by one operation. @default 400 */
  readonly maxDepth?: number | undefined
  /** Length of any text, in UTF-16 code units: output, captured blocks, results of operations. @default 16_777_216 */
  readonly maxTextLength?: number | undefined
  /** Items of `range()`. @default 100_000 */
  readonly maxRangeLength?: number | undefined
  /** Size of an integer in bits; the default is 4,300 decimal digits, as in Python. @default 14_284 */
  readonly maxIntegerBits?: number | undefined
}

/** {@link JinjaLimits} with every value set. */
export type ResolvedLimits = { readonly [Name in keyof JinjaLimits]-?: number }

const DEFAULTS: ResolvedLimits = {
  maxSourceLength: 1_048_576,
  maxNesting: 100,
  maxSteps: 3_000_000,
  maxDepth: 400,
  maxTextLength: 16_777_216,
  maxRangeLength: 100_000,
  maxIntegerBits: 14_284,
}

/** The limits, with defaults for missing ones. */
export function resolveLimits(limits: JinjaLimits = {}): ResolvedLimits {
  return {
    maxSourceLength: limits.maxSourceLength ?? DEFAULTS.maxSourceLength,
    maxNesting: limits.maxNesting ?? DEFAULTS.maxNesting,
    maxSteps: limits.maxSteps ?? DEFAULTS.maxSteps,
    maxDepth: limits.maxDepth ?? DEFAULTS.maxDepth,
    maxTextLength: limits.maxTextLength ?? DEFAULTS.maxTextLength,
    maxRangeLength: limits.maxRangeLength ?? DEFAULTS.maxRangeLength,
    maxIntegerBits: limits.maxIntegerBits ?? DEFAULTS.maxIntegerBits,
  }
}
