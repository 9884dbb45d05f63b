import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CompiledPattern, PatternMatcher } from '@svc/pii/patterns'
import { chatCorpus, Dice } from './pii-corpus.ts'
import { LARGE_PATTERNS, SOME_SECRETS } from './pii-patterns.ts'
import { seconds } from './processor-time.ts'

const TEXT_LENGTH = 15 * 2 ** 20

/** Pieces of a search between two readings of the memory. */
const PIECES_A_LOOK = 1000

/** Patterns and a text that is hard for them. */
interface HardSet {
  readonly name: string
  readonly patterns: readonly string[]
  readonly text: () => string
}

const repeated = (unit: string): string => unit.repeat(Math.ceil(TEXT_LENGTH / unit.length)).slice(0, TEXT_LENGTH)

/** Random pieces with equal probability. */
function mixed(...pieces: readonly [string, ...string[]]): string {
  const dice = new Dice(9)
  let text = ''
  while (text.length < TEXT_LENGTH) text += dice.pick(pieces)
  return text.slice(0, TEXT_LENGTH)
}

const SETS: readonly HardSet[] = [
  { name: 'chats with secrets', patterns: LARGE_PATTERNS, text: () => chatCorpus(TEXT_LENGTH, true, SOME_SECRETS) },
  { name: 'a million hits', patterns: ['tok-\\d+'], text: () => repeated('a tok-1234 and ') },
  { name: 'a million hits', patterns: ['[\\w.+-]+@corp'], text: () => repeated('a.bc@corp, and ') },
  {
    name: 'a million hits of a nest',
    patterns: ['(?:[a-z]{1,40}[-_]){1,100}corp'],
    text: () => repeated('ab-cd-corp and '),
  },
  {
    name: 'hits in letters and digits',
    patterns: ['(?:[a-z]{0,64}[0-9]{0,64}){0,4096}abc'],
    text: () => mixed('a', 'b', 'abc', '1', '2', 'xyz', '345').slice(0, TEXT_LENGTH / 4),
  },
  {
    name: 'starts only',
    patterns: ['abc(?:[a-z]{0,64}[0-9]{0,64}){0,4096}!'],
    text: () => mixed('a', 'b', 'abc', '1', '2', 'xyz', '345'),
  },
  {
    name: 'matches that could grow',
    patterns: ['abc(?:(?:[a-z]{0,64}[0-9]{0,64}){0,4096}!)?'],
    text: () => repeated('abc'),
  },
  {
    name: 'no start and no end',
    patterns: ['(?:(?:a|ab){0,100}){0,100}xyz(?:(?:a|ab){0,100}){0,100}'],
    text: () => mixed('a', 'a', 'ab', 'aba', 'xyz').slice(0, TEXT_LENGTH / 4),
  },
  {
    name: 'exact rounds',
    patterns: ['(?:(?:a|bc|aaa){300,4096}[bc]){37,4096}xyz'],
    text: () => mixed('a', 'a', 'bc', 'aaa', 'b', 'aaaaaaaaaaaaaaaaaaaaaa', 'xyz'),
  },
  {
    name: 'rounds of one or three',
    patterns: ['(?:a|aaa){4096}xyz'],
    text: () => repeated(`${'a'.repeat(20_000)}xyz`),
  },
  {
    name: 'large least rounds',
    patterns: ['(?:[^!]{300,4096}a){3,4096}abc'],
    text: () => mixed('a', 'b', 'abc', '-').slice(0, TEXT_LENGTH / 16),
  },
  {
    name: 'three levels of least rounds',
    patterns: ['(?:(?:[^!]{64,128}[ab]){64,128}c){64,128}abc'],
    text: () => mixed('a', 'b', 'abc', '-').slice(0, TEXT_LENGTH / 64),
  },
  {
    name: 'four levels',
    patterns: ['(?:(?:(?:a{0,64}b{0,64}){0,64}c{0,64}){0,64}d{0,64}){0,4096}abc'],
    text: () => mixed('a', 'b', 'c', 'd', 'abc').slice(0, TEXT_LENGTH / 4),
  },
]

/**
 * Builds the text as the engine would hold it as part of a body: in a call of its own, so that no other copy of it
 * stays alive.
 */
function buildText({ text }: HardSet): string {
  return Buffer.from(text(), 'latin1').toString('latin1')
}

/** Processor time and matches of a search; a fast search is repeated after the engine has optimised the code. */
function search(patterns: readonly string[], text: string): { time: number; found: number } {
  const matcher = new PatternMatcher(patterns.map((source) => new CompiledPattern(source)))
  let time = Number.POSITIVE_INFINITY
  let found = 0
  for (let spent = 0; spent < 1; ) {
    const one = seconds(() => {
      found = matcher.match(text).length
    })
    time = Math.min(time, one)
    spent += one
  }
  return { time, found }
}

/** Peak memory during the first search of a matcher, including caches for later ones, in MiB. */
function mostHeld(patterns: readonly string[], text: string, held: () => number): number {
  const scan = new PatternMatcher(patterns.map((source) => new CompiledPattern(source))).scan(text)
  const before = held()
  let most = before
  for (let piece = 1; !scan.advance(); piece++) if (piece % PIECES_A_LOOK === 0) most = Math.max(most, held())
  most = Math.max(most, held())
  // The search's memory is alive up to here.
  scan.advance()
  return most - before
}

/** Prints MB of text a second and the memory during the search, beyond that of text and patterns. */
export function measureHardSets(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = (): number => {
    // Freed buffers disappear only with the next collection.
    for (let again = 0; again < 3; again++) collect()
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 2 ** 20
  }
  console.log('\nhard sets')
  for (const set of SETS) {
    const { name, patterns } = set
    const text = buildText(set)
    const { time, found } = search(patterns, text)
    const rate = (text.length / 1e6 / time).toFixed(2).padStart(8)
    const extra = mostHeld(patterns, text, held).toFixed(1).padStart(6)
    const size = (text.length / 1e6).toFixed(1).padStart(5)
    const what = patterns.length === 1 ? patterns[0] : `${patterns.length} patterns`
    console.log(
      `  ${size} M characters ${rate} MB/s ${extra} MiB held ${String(found).padStart(8)} matches  ${name}: ${what}`,
    )
  }
}
