import { Alphabet } from './alphabet.ts'
import { classifyEmptiness, collectSets, type PatternNode, toSingleSet } from './ast.ts'
import type { CodeSet } from './code-set.ts'
import { ASSERT, type Loop, OP, type Program } from './program.ts'

/** States beyond which a program without loops is not built. */
const MAX_UNROLLED_STATES = 12_000

/** Most states of a program; a larger one is not built. Assertions inside nested repeats can need that many. */
const MAX_STATES = 1_000_000

/** States up to which a repeat is expanded in a program with loops. */
const WRITTEN_STATES = 64

/** Options of {@link compile}. */
export interface CompileOptions {
  /** Keeps large repeats as loops, so that bounds cost no states; else all are expanded. */
  readonly counted: boolean
  /** Characters that may not follow a match. */
  readonly notBefore?: CodeSet | undefined
}

/** Compiles a simplified pattern; undefined when its expanded form would be too large. */
export function compile(node: PatternNode, options: CompileOptions): Program | undefined {
  const builder = new Builder(node, options)
  return builder.build(node)
}

class Builder {
  private readonly op: number[] = [OP.fail]
  private readonly argument: number[] = [0]
  private readonly next: number[] = [0]
  private readonly other: number[] = [0]
  private readonly sets: Uint8Array[] = []
  private readonly setIndex = new Map<string, number>()
  private readonly loops: Loop[] = []
  private readonly alphabet: Alphabet
  private readonly options: CompileOptions
  private readonly assertions = new Set<number>()
  private tooLarge = false

  constructor(node: PatternNode, options: CompileOptions) {
    this.options = options
    const sets = new Map(collectSets(node).map((set) => [set.join(), set]))
    const { notBefore } = options
    if (notBefore !== undefined) sets.set(notBefore.join(), notBefore)
    this.alphabet = new Alphabet([...sets.values()])
  }

  build(node: PatternNode): Program | undefined {
    const { alphabet, options } = this
    let last = this.state(OP.accept, 0, 0)
    if (options.notBefore !== undefined) last = this.state(OP.assert, ASSERT.notBefore, last)
    const entry = this.whole(node, last)
    if (this.tooLarge) return undefined
    return {
      entry,
      op: Uint8Array.from(this.op),
      argument: Int32Array.from(this.argument),
      next: Int32Array.from(this.next),
      other: Int32Array.from(this.other),
      alphabet,
      sets: this.sets,
      words: alphabet.wordFlags(),
      notBefore: options.notBefore === undefined ? undefined : alphabet.toFlags(options.notBefore),
      loops: this.loops,
      usesEdges: this.assertions.has(ASSERT.start) || this.assertions.has(ASSERT.end),
      usesWords: this.assertions.has(ASSERT.boundary),
    }
  }

  private state(op: number, argument: number, next: number, other = 0): number {
    if (this.op.length > (this.options.counted ? MAX_STATES : MAX_UNROLLED_STATES)) this.tooLarge = true
    if (this.tooLarge) return 0
    this.argument.push(argument)
    this.next.push(next)
    this.other.push(other)
    return this.op.push(op) - 1
  }

  private split(one: number, other: number): number {
    if (one === 0 || other === 0 || one === other) return one || other
    return this.state(OP.split, 0, one, other)
  }

  /** States that match the node and continue at `next`. */
  private whole(node: PatternNode, next: number): number {
    if (this.tooLarge) return 0
    const set = toSingleSet(node)
    if (set !== undefined) return this.state(OP.take, this.flags(set), next)
    switch (node.kind) {
      case 'assertion':
        return this.assertion(node.assertion, next)
      case 'sequence':
        return node.items.reduceRight((after, item) => this.whole(item, after), next)
      case 'choice':
        return node.arms.reduceRight((rest, arm) => this.split(this.whole(arm, next), rest), 0)
      case 'repeat':
        return this.repeat(node.body, node.min, node.max, next)
      default:
        return 0
    }
  }

  /** States that match the node, but not the empty text. */
  private taking(node: PatternNode, next: number): number {
    if (classifyEmptiness(node) === 'never') return this.whole(node, next)
    switch (node.kind) {
      case 'sequence': {
        // Either this item is the first non-empty one, or it is empty and a later one is not.
        let after = next
        let later = 0
        for (const item of node.items.toReversed()) {
          const taken = this.taking(item, after)
          later = this.split(taken, this.nothing(item, later))
          // An item that may always be empty is taken or left out: it is built once, so that nests do not double.
          after = classifyEmptiness(item) === 'always' ? this.split(taken, after) : this.whole(item, after)
        }
        return later
      }
      case 'choice':
        return node.arms.reduceRight((rest, arm) => this.split(this.taking(arm, next), rest), 0)
      case 'repeat':
        if (classifyEmptiness(node.body) === 'never')
          return this.repeat(node.body, Math.max(node.min, 1), node.max, next)
        // With a body that may be empty, there is one non-empty round between any others.
        return this.repeatAround(node.body, node.min, node.max, next)
      default:
        return 0
    }
  }

  /** States that match the node as the empty text only. */
  private nothing(node: PatternNode, next: number): number {
    if (next === 0) return 0
    switch (node.kind) {
      case 'assertion':
        return this.assertion(node.assertion, next)
      case 'sequence':
        return node.items.reduceRight((after, item) => this.nothing(item, after), next)
      case 'choice':
        return node.arms.reduceRight((rest, arm) => this.split(this.nothing(arm, next), rest), 0)
      case 'repeat':
        return node.min === 0 ? next : this.nothing(node.body, next)
      default:
        return 0
    }
  }

  /** At least one non-empty round, in `min` to `max` rounds of which others may be empty. */
  private repeatAround(body: PatternNode, min: number, max: number, next: number): number {
    if (min === 0) return this.optionalRounds(body, 1, max, next)
    let after = this.optionalRounds(body, 0, max - min, next)
    let taken = max > min ? this.optionalRounds(body, 1, max - min, next) : 0
    for (let round = 0; round < min; round++) {
      taken = this.split(this.taking(body, after), this.nothing(body, taken))
      after = this.whole(body, after)
    }
    return taken
  }

  private repeat(body: PatternNode, min: number, max: number, next: number): number {
    if (classifyEmptiness(body) === 'never') return this.optionalRounds(body, min, max, next)
    let after = this.optionalRounds(body, 0, max - min, next)
    for (let round = 0; round < min; round++) after = this.whole(body, after)
    return after
  }

  /** `min` to `max` rounds, all of them non-empty. */
  private optionalRounds(body: PatternNode, min: number, max: number, next: number): number {
    if (this.options.counted && isCounted(body, min, max)) return this.counted(body, min, max, next)
    let after = next
    let written = 0
    if (max === Number.POSITIVE_INFINITY) {
      // One copy serves the last required round and all optional ones.
      const again = this.state(OP.split, 0, 0, next)
      const entry = this.taking(body, again)
      this.next[again] = entry
      after = min === 0 ? again : entry
      written = min === 0 ? 0 : 1
    } else {
      for (let round = min; round < max && !this.tooLarge; round++) after = this.split(this.taking(body, after), next)
    }
    for (let round = written; round < min && !this.tooLarge; round++) after = this.taking(body, after)
    return after
  }

  private counted(body: PatternNode, min: number, max: number, next: number): number {
    // First the required rounds, then the optional ones: for the latter fewer are as good as more.
    if (min > 0 && max > min && !hasCounted(body))
      return this.counted(body, min, min, this.optionalRounds(body, 0, max - min, next))
    const loop: Loop = { min, max, body: 0, exit: next }
    const index = this.loops.push(loop) - 1
    loop.body = this.taking(body, this.state(OP.round, index, 0))
    return this.state(OP.enter, index, 0)
  }

  private assertion(kind: 'start' | 'end' | 'word-boundary', next: number): number {
    const assertion = kind === 'start' ? ASSERT.start : kind === 'end' ? ASSERT.end : ASSERT.boundary
    this.assertions.add(assertion)
    return this.state(OP.assert, assertion, next)
  }

  private flags(set: CodeSet): number {
    const key = set.join()
    const known = this.setIndex.get(key)
    if (known !== undefined) return known
    const index = this.sets.push(this.alphabet.toFlags(set)) - 1
    this.setIndex.set(key, index)
    return index
  }
}

/** Whether a repeat is counted, because its expanded form would take too many states. */
function isCounted(body: PatternNode, min: number, max: number): boolean {
  const rounds = max === Number.POSITIVE_INFINITY ? min : max
  return !isWithin(writtenStates(body), rounds)
}

/** Whether a node contains a counted repeat: building such a body twice would double nests at every level. */
function hasCounted(node: PatternNode): boolean {
  switch (node.kind) {
    case 'sequence':
      return node.items.some(hasCounted)
    case 'choice':
      return node.arms.some(hasCounted)
    case 'repeat':
      return isCounted(node.body, node.min, node.max) || hasCounted(node.body)
    default:
      return false
  }
}

/** Approximate number of states of a node in a program with loops. */
function writtenStates(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
      return node.items.reduce((sum, item) => sum + writtenStates(item), 1)
    case 'choice':
      return node.arms.reduce((sum, arm) => sum + writtenStates(arm), 1)
    case 'repeat': {
      const states = writtenStates(node.body)
      const rounds = node.max === Number.POSITIVE_INFINITY ? node.min : node.max
      return isWithin(states, rounds) ? states * Math.max(rounds, 1) : states + 1
    }
    default:
      return 1
  }
}

function isWithin(states: number, rounds: number): boolean {
  return rounds <= 1 || rounds * states <= WRITTEN_STATES
}
