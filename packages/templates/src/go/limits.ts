import { GoTemplateLimitError } from './errors.ts'

/** Limits of compiling and rendering one template. A template at a limit passes, one past it fails. */
export interface GoTemplateLimits {
  /** Longest template in bytes of UTF-8. @default 1 MiB */
  readonly maxSourceBytes?: number | undefined
  /** Deepest nesting of blocks and parentheses in a template. @default 100 */
  readonly maxParseDepth?: number | undefined
  /**
   * Steps of one render: a node, a call, a value visited, or 16 bytes of text handled count as one; 4 bytes where a
   * function looks at every character. @default 2,000,000
   */
  readonly maxSteps?: number | undefined
  /** Deepest `template` inside `template`. @default 100 */
  readonly maxTemplateDepth?: number | undefined
  /** Longest output, and longest string made on the way, in bytes of UTF-8. @default 16 MiB */
  readonly maxOutputBytes?: number | undefined
  /** Longest list a function may make, and most rounds of `range` over a number. @default 100,000 */
  readonly maxListLength?: number | undefined
  /** Deepest nesting of lists and maps in data and in values made by the template. @default 200 */
  readonly maxValueDepth?: number | undefined
  /** Longest source of a regular expression in bytes. @default 1 KiB */
  readonly maxPatternBytes?: number | undefined
  /**
   * Longest time in milliseconds for a render that looks for all matches of a regular expression. Some patterns read
   * far ahead for every match, which no count of steps predicts. @default 2,000
   */
  readonly maxPatternMillis?: number | undefined
}

/** {@link GoTemplateLimits} with the defaults filled in. */
export type ResolvedLimits = { readonly [K in keyof GoTemplateLimits]-?: number }

/** The default limits. */
export const DEFAULT_GO_TEMPLATE_LIMITS: ResolvedLimits = Object.freeze({
  maxSourceBytes: 1024 * 1024,
  maxParseDepth: 100,
  maxSteps: 2_000_000,
  maxTemplateDepth: 100,
  maxOutputBytes: 16 * 1024 * 1024,
  maxListLength: 100_000,
  maxValueDepth: 200,
  maxPatternBytes: 1024,
  maxPatternMillis: 2_000,
})

const NO_LIMITS: GoTemplateLimits = Object.freeze({})

/** The given limits, with defaults for the others. */
export function resolveLimits(
  limits: GoTemplateLimits = NO_LIMITS,
  otherwise: ResolvedLimits = DEFAULT_GO_TEMPLATE_LIMITS,
): ResolvedLimits {
  if (limits === NO_LIMITS) return otherwise
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  return { ...otherwise, ...Object.fromEntries(given) }
}

/** Bytes of text that cost one step. */
const BYTES_PER_STEP = 16

/** The consumption of one render. Created per render. */
export class Budget {
  readonly limits: ResolvedLimits
  readonly #started = performance.now()
  #steps = 0

  constructor(limits: ResolvedLimits) {
    this.limits = limits
  }

  /** Takes steps. */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.limits.maxSteps) throw new GoTemplateLimitError('maxSteps', this.limits.maxSteps)
  }

  /** Takes the steps for handling a text. */
  spendBytes(length: number): void {
    this.spend(Math.ceil(length / BYTES_PER_STEP))
  }

  /** Stops a search for matches when the render has taken too long. */
  checkTime(): void {
    const { maxPatternMillis } = this.limits
    if (performance.now() - this.#started > maxPatternMillis) {
      throw new GoTemplateLimitError('maxPatternMillis', maxPatternMillis)
    }
  }

  /** Refuses a string that would grow too long; call it before making one. */
  checkBytes(length: number): void {
    if (length > this.limits.maxOutputBytes)
      throw new GoTemplateLimitError('maxOutputBytes', this.limits.maxOutputBytes)
  }

  /** Refuses a list that would grow too long, and takes a step for each item. */
  checkList(length: number): void {
    if (length > this.limits.maxListLength) throw new GoTemplateLimitError('maxListLength', this.limits.maxListLength)
    this.spend(length)
  }

  /** Refuses values nested too deep. */
  checkDepth(depth: number): void {
    if (depth > this.limits.maxValueDepth) throw new GoTemplateLimitError('maxValueDepth', this.limits.maxValueDepth)
  }
}

/** Collects text piece by piece within the output limit. */
export class ByteSink {
  readonly #budget: Budget
  readonly #parts: string[] = []
  #length = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Number of written bytes. */
  get length(): number {
    return this.#length
  }

  /** Adds a byte string. */
  write(bytes: string): void {
    this.#length += bytes.length
    this.#budget.checkBytes(this.#length)
    this.#parts.push(bytes)
  }

  /** Returns all written text. */
  finish(): string {
    return this.#parts.join('')
  }
}
