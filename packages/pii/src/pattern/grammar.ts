import { type AssertionKind, EMPTY, type PatternNode, toSequence } from './ast.ts'
import { readClass, readClassEscape } from './character-class.ts'
import { isHighSurrogate, isLowSurrogate } from './code-set.ts'
import { PatternSyntaxError } from './errors.ts'
import { hasLiteralRun, MIN_LITERAL_RUN } from './literal-run.ts'

/** The largest number a quantifier `{m,n}` may name (§2.11). */
const MAX_BOUND = 4096

/** The longest source, in UTF-16 code units: far longer than any ordinary pattern. */
export const MAX_SOURCE_LENGTH = 65_536

/** Most nested groups: keeps the walk over a pattern within the stack. */
export const MAX_NESTING = 500

const ASSERTIONS: Readonly<Record<string, AssertionKind>> = { '^': 'start', $: 'end' }

/** A group that is still open. */
interface OpenGroup {
  readonly offset: number
  readonly arms: PatternNode[]
  items: PatternNode[]
}

/**
 * Parses a pattern of §2.11: literals, classes, `\w \d \s` and their negations, alternation, `(?:…)`, `^ $ \b` and
 * quantifiers. Lazy quantifiers are read as greedy ones: the longest match counts.
 *
 * @throws PatternSyntaxError with position and reason
 */
export function parsePattern(source: string): PatternNode {
  const node = parseUnanchored(source)
  if (!hasLiteralRun(node)) {
    throw new PatternSyntaxError(`needs a fixed run of at least ${MIN_LITERAL_RUN} literal characters on every path`, 0)
  }
  return node
}

/** Parses without requiring a literal run: for built-in shapes that find their candidates in another way. */
export function parseUnanchored(source: string): PatternNode {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new PatternSyntaxError(`longer than ${MAX_SOURCE_LENGTH} characters`, MAX_SOURCE_LENGTH)
  }
  return new Parser(source).parse()
}

class Parser {
  private readonly source: string
  private at = 0
  private readonly open: OpenGroup[] = [{ offset: 0, arms: [], items: [] }]

  constructor(source: string) {
    this.source = source
  }

  parse(): PatternNode {
    while (this.at < this.source.length) this.step()
    const group = this.group()
    if (this.open.length > 1) throw new PatternSyntaxError('the group is not closed', group.offset)
    return closeGroup(group)
  }

  private step(): void {
    const char = this.source.charAt(this.at)
    const group = this.group()
    if (char === '(') {
      this.openGroup()
      return
    }
    if (char === ')') {
      this.closeGroup()
      return
    }
    if (char === '|') {
      group.arms.push(toSequence(group.items))
      group.items = []
      this.at++
      return
    }
    if (char === '*' || char === '+' || char === '?') {
      throw new PatternSyntaxError(`nothing to repeat before "${char}"`, this.at)
    }
    if (char === '{') throw new PatternSyntaxError('"{" is not a quantifier here; write "\\{" for a brace', this.at)
    if (char === '.') throw new PatternSyntaxError('"." (any character) is not allowed', this.at)
    group.items.push(this.quantified(this.atom(char)))
  }

  private openGroup(): void {
    if (!this.source.startsWith('(?:', this.at)) {
      const special = this.source.charAt(this.at + 1) === '?'
      throw new PatternSyntaxError(
        special ? 'only groups "(?:…)" are allowed' : 'capturing groups are not allowed; write "(?:…)"',
        this.at,
      )
    }
    if (this.open.length > MAX_NESTING) throw new PatternSyntaxError('groups are nested too deeply', this.at)
    this.open.push({ offset: this.at, arms: [], items: [] })
    this.at += 3
  }

  private closeGroup(): void {
    const group = this.group()
    if (this.open.length === 1) throw new PatternSyntaxError('")" closes nothing', this.at)
    this.open.pop()
    this.at++
    this.group().items.push(this.quantified(closeGroup(group)))
  }

  private atom(char: string): PatternNode {
    const assertion = ASSERTIONS[char]
    if (assertion !== undefined) {
      this.at++
      return { kind: 'assertion', assertion }
    }
    if (char === '[') {
      const { set, end } = readClass(this.source, this.at)
      this.at = end
      return { kind: 'class', set }
    }
    return char === '\\' ? this.escape() : { kind: 'literal', code: this.character() }
  }

  private escape(): PatternNode {
    if (this.source.charAt(this.at + 1) === 'b') {
      this.at += 2
      return { kind: 'assertion', assertion: 'word-boundary' }
    }
    const { set, code, end } = readClassEscape(this.source, this.at)
    this.at = end
    return set === undefined ? { kind: 'literal', code } : { kind: 'class', set }
  }

  /** One whole code point of the source. */
  private character(): number {
    const code = this.source.codePointAt(this.at) ?? 0
    if (isHighSurrogate(code) || isLowSurrogate(code)) {
      throw new PatternSyntaxError('half of a surrogate pair stands alone', this.at)
    }
    this.at += code > 0xffff ? 2 : 1
    return code
  }

  private quantified(body: PatternNode): PatternNode {
    const bounds = this.bounds()
    if (bounds === undefined) return body
    if (this.source.charAt(this.at) === '?') this.at++
    const next = this.source.charAt(this.at)
    if (next === '*' || next === '+' || next === '?' || next === '{') {
      throw new PatternSyntaxError('a quantifier follows a quantifier', this.at)
    }
    return { kind: 'repeat', body, min: bounds[0], max: bounds[1] }
  }

  private bounds(): [number, number] | undefined {
    const char = this.source.charAt(this.at)
    if (char !== '{') {
      if (char !== '*' && char !== '+' && char !== '?') return undefined
      this.at++
      return [char === '+' ? 1 : 0, char === '?' ? 1 : Number.POSITIVE_INFINITY]
    }
    const offset = this.at
    const close = this.source.indexOf('}', offset)
    const [low, high, more] = (close < 0 ? '' : this.source.slice(offset + 1, close)).split(',')
    if (!isNumber(low) || more !== undefined || (high !== undefined && high !== '' && !isNumber(high))) {
      throw new PatternSyntaxError('"{" is not a quantifier here; write "\\{" for a brace', offset)
    }
    const min = Number(low)
    const max = high === undefined ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high)
    if (min > MAX_BOUND || (max > MAX_BOUND && max !== Number.POSITIVE_INFINITY)) {
      throw new PatternSyntaxError(`a bound is over ${MAX_BOUND}`, offset)
    }
    if (max < min) throw new PatternSyntaxError('the bounds are the wrong way round', offset)
    this.at = close + 1
    return [min, max]
  }

  private group(): OpenGroup {
    const group = this.open.at(-1)
    if (group === undefined) throw new PatternSyntaxError('")" closes nothing', this.at)
    return group
  }
}

function closeGroup(group: OpenGroup): PatternNode {
  const last = group.items.length === 0 ? EMPTY : toSequence(group.items)
  return group.arms.length === 0 ? last : { kind: 'choice', arms: [...group.arms, last] }
}

function isNumber(text: string | undefined): text is string {
  return (
    text !== undefined &&
    text.length > 0 &&
    text.length <= 9 &&
    [...text].every((digit) => digit >= '0' && digit <= '9')
  )
}
