import { JinjaLimitError } from './errors.ts'
import type { ResolvedLimits } from './limits.ts'
import type { Clock } from './ports.ts'
import { isPlainSearch } from './text/search.ts'

/** Code units of text built for the price of one step. */
const BUILT_PER_STEP = 16
/** Code units of text searched for the price of one step. */
const SEARCHED_PER_STEP = 32
/** Code units of text walked one by one for the price of one step. */
const WALKED_PER_STEP = 4

/** The size of an integer that takes one step to compute with. */
const BITS_OF_STEP = 512

/** Options of a rendering. */
export interface RenderingOptions {
  readonly limits: ResolvedLimits
  /** Whether lists and dicts may change, and generators may be written as JSON. */
  readonly lenient: boolean
  readonly clock: Clock
  readonly random: () => number
}

/** The state of one rendering: its position, its consumption, and its resources. */
export class Rendering {
  readonly limits: ResolvedLimits
  readonly lenient: boolean
  readonly clock: Clock
  readonly random: () => number
  /** The line being rendered, for errors. */
  line = 1
  /** Whether text is escaped for HTML; only inside `{% autoescape true %}`. */
  autoescape = false
  #steps = 0
  #depth = 0

  constructor(options: RenderingOptions) {
    this.limits = options.limits
    this.lenient = options.lenient
    this.clock = options.clock
    this.random = options.random
  }

  /** Pays for work. @throws JinjaLimitError when no steps are left */
  spend(steps = 1): void {
    this.#steps += steps
    if (this.#steps > this.limits.maxSteps) throw this.#exceeded('maxSteps')
  }

  /** Number of remaining steps; a list of more parts cannot be paid for. */
  get stepsLeft(): number {
    return this.limits.maxSteps - this.#steps
  }

  /** Pays for comparing a text, or for searching another one in it. */
  search(text: string, wanted = ''): void {
    if (isPlainSearch(text, wanted)) this.spend(1 + Math.floor(text.length / SEARCHED_PER_STEP))
    else this.walk(text.length + wanted.length)
  }

  /** Pays for work on every character of a text. */
  walk(length: number): void {
    this.spend(1 + Math.floor(length / WALKED_PER_STEP))
  }

  /** @throws JinjaLimitError for a text longer than allowed */
  checkLength(length: number): void {
    if (!(length <= this.limits.maxTextLength)) throw this.#exceeded('maxTextLength')
  }

  /** Pays for a text of this length, before it is built where the length can be known. */
  reserve(length: number): void {
    this.checkLength(length)
    this.spend(1 + Math.floor(length / BUILT_PER_STEP))
  }

  /** Pays for a text that was just built, and gives it back. */
  built(text: string): string {
    this.reserve(text.length)
    return text
  }

  /** One level deeper into tags, expressions, calls or data. An error ends the rendering, so nothing undoes it then. */
  enter(): void {
    if (++this.#depth > this.limits.maxDepth) throw this.#exceeded('maxDepth')
  }

  /** One level back. */
  leave(): void {
    this.#depth--
  }

  /** Pays for an operation on an integer of so many bits, which takes quadratic time. */
  compute(bits: number): void {
    this.spend(1 + Math.floor((bits / BITS_OF_STEP) ** 2))
  }

  /** @throws JinjaLimitError for an integer of more bits than allowed, or for a result that would have them */
  checkBits(bits: number): void {
    if (bits > this.limits.maxIntegerBits) throw this.#exceeded('maxIntegerBits')
  }

  /** @throws JinjaLimitError for a range of more items than allowed */
  checkRange(length: number): void {
    if (length > this.limits.maxRangeLength) throw this.#exceeded('maxRangeLength')
  }

  #exceeded(limit: keyof ResolvedLimits): JinjaLimitError {
    return new JinjaLimitError(`the template exceeds the limit ${limit} of ${this.limits[limit]}`, {
      line: this.line,
      limit,
    })
  }
}
