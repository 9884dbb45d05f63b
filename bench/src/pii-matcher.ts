import { CompiledPattern, PatternMatcher } from '@svc/pii/patterns'
import { chatCorpus, Dice } from './pii-corpus.ts'
import { measureHardSets } from './pii-hard-sets.ts'
import { CUSTOM_PATTERNS, hardPattern, hardText, SOME_SECRETS, TEN_SECRETS } from './pii-patterns.ts'
import { seconds } from './processor-time.ts'

/**
 * Measures the speed of the pattern matcher: MB of text a second beside other engines; the same, and memory, for hard
 * patterns and texts; and time when the text doubles. Run `pii-matcher -- speed`, `pii-matcher -- hard` or `pii-matcher
 * -- doubling` for one of them.
 */

const TEXT_LENGTH = 4 * 2 ** 20
const ROUNDS = 5
const SECONDS_A_TURN = 0.2
const PATTERNS_TO_DOUBLE = Number(process.env.DOUBLING_PATTERNS) || 2000
const HIGHEST_RATIO = 2.2
/** Texts are at most four times as long. */
const LONGEST_START = 2 ** 19

/** A method of finding all matches of several patterns in a text. */
interface Engine {
  readonly name: string
  /** The number of matches. */
  readonly count: (text: string) => number
}

function ours(patterns: readonly string[]): Engine {
  const matcher = new PatternMatcher(patterns.map((source) => new CompiledPattern(source)))
  return { name: '@svc/pii', count: (text) => matcher.match(text).length }
}

/** An expression of one pattern, of the language or of the native package. */
interface Expression<Subject> {
  lastIndex: number
  exec(subject: Subject): unknown
}

/** One pass for each pattern, with the language's own engine. The measurement includes `prepare`. */
function onePassEach<Subject>(
  name: string,
  expressions: readonly Expression<Subject>[],
  prepare: (text: string) => Subject,
): Engine {
  return {
    name,
    count(text) {
      const subject = prepare(text)
      let found = 0
      for (const expression of expressions) {
        expression.lastIndex = 0
        while (expression.exec(subject) !== null) found++
      }
      return found
    },
  }
}

/** The native package, if it is installed and `RE2_MODULE` names its file. It is fastest on bytes. */
async function nativeRe2(): Promise<((source: string) => Expression<Buffer>) | undefined> {
  const path = process.env.RE2_MODULE
  if (path === undefined) return undefined
  const loaded: { default: new (source: string, flags: string) => Expression<Buffer> } = await import(path)
  return (source) => new loaded.default(source, 'g')
}

/**
 * Runs the engines in turn over the same text; each must find the same number of matches. Reports the least time of
 * each, because other work on the machine only lengthens times.
 */
function race(title: string, text: string, engines: readonly Engine[]): void {
  const counts = engines.map((engine) => engine.count(text))
  if (new Set(counts).size > 1) throw new Error(`${title}: ${counts.join(' / ')} matches`)
  const times = engines.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, engine] of engines.entries()) {
      for (let spent = 0; spent < SECONDS_A_TURN; ) {
        const time = seconds(() => engine.count(text))
        times[index] = Math.min(times[index] ?? time, time)
        spent += time
      }
    }
  }
  const rates = times.map((time) => text.length / 1e6 / time)
  console.log(`\n${title} (${(text.length / 1e6).toFixed(1)} M characters, ${counts[0]} matches)`)
  for (const [index, { name }] of engines.entries()) {
    const rate = rates[index] ?? 0
    const ratio = index === 0 ? '' : `   ours is ${((rates[0] ?? 0) / rate).toFixed(2)} times that`
    console.log(`  ${name.padEnd(10)} ${rate.toFixed(2).padStart(9)} MB per second of CPU${ratio}`)
  }
}

async function measureSpeed(): Promise<void> {
  const re2 = await nativeRe2()
  const engines = (patterns: readonly string[]): Engine[] => [
    ours(patterns),
    onePassEach(
      'RegExp',
      patterns.map((source) => new RegExp(source, 'g')),
      (text) => text,
    ),
    ...(re2 === undefined ? [] : [onePassEach('re2', patterns.map(re2), (text) => Buffer.from(text))]),
  ]
  const ascii = chatCorpus(TEXT_LENGTH, true, SOME_SECRETS)
  const wide = chatCorpus(TEXT_LENGTH, false, SOME_SECRETS)
  race('10 secrets, ASCII', ascii, engines(TEN_SECRETS))
  race('10 secrets, any text', wide, engines(TEN_SECRETS))
  race('128 patterns, ASCII', ascii, engines(CUSTOM_PATTERNS))
  race('128 patterns, any text', wide, engines(CUSTOM_PATTERNS))
}

/** The least time of a few tries. */
function leastTime(matcher: PatternMatcher, text: string, tries: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries; attempt++)
    least = Math.min(
      least,
      seconds(() => matcher.match(text)),
    )
  return least
}

/** Ratio of times for a text of twice the length, from the mean of two doublings. */
function doublingRatio(matcher: PatternMatcher, kind: number, length: number, tries: number): number {
  const at = (size: number): number => leastTime(matcher, hardText(kind, size, new Dice(3)), tries)
  at(length)
  return Math.sqrt(at(length * 4) / at(length))
}

/** A length at which a search takes a few milliseconds, long enough to measure. */
function startLength(matcher: PatternMatcher, kind: number): { length: number; time: number } {
  let length = 2 ** 14
  let time = leastTime(matcher, hardText(kind, length, new Dice(3)), 2)
  while (time < 0.002 && length < 2 ** 19) {
    length *= 2
    time = leastTime(matcher, hardText(kind, length, new Dice(3)), 2)
  }
  return { length, time }
}

function measureDoubling(): void {
  const dice = new Dice(Number(process.env.DOUBLING_SEED) || 5)
  const ratios: number[] = []
  const slowest: { source: string; rate: number }[] = []
  const over: string[] = []
  let lookedAtAgain = 0
  while (ratios.length < PATTERNS_TO_DOUBLE) {
    const source = hardPattern(dice)
    const kind = dice.roll(3)
    const matcher = new PatternMatcher([new CompiledPattern(source)])
    const { length, time } = startLength(matcher, kind)
    let ratio = doublingRatio(matcher, kind, length, 3)
    // A busy machine lengthens a run, never shortens it, and the switch from one method to the other adds one step. A
    // bad result is measured again, with longer texts.
    let longer = length
    for (let again = 0; again < 4 && ratio > HIGHEST_RATIO; again++) {
      if (again > 0 && longer < LONGEST_START) longer *= 4
      ratio = Math.min(ratio, doublingRatio(matcher, kind, longer, 2))
      if (again === 0) lookedAtAgain++
    }
    ratios.push(ratio)
    slowest.push({ source, rate: length / 1e6 / time })
    if (ratio > HIGHEST_RATIO) over.push(`${source} on text ${kind}: ${ratio.toFixed(2)}`)
  }
  const sorted = ratios.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2)
  console.log(
    `\ntime when the text doubles, ${ratios.length} patterns: median ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`,
  )
  console.log(`over ${HIGHEST_RATIO}: ${over.length}; ${lookedAtAgain} looked so at first`)
  for (const line of over.slice(0, 20)) console.log(`  ${line}`)
  slowest.sort((a, b) => a.rate - b.rate)
  console.log('slowest:')
  for (const { source, rate } of slowest.slice(0, 5)) console.log(`  ${rate.toFixed(3)} MB/s  ${source}`)
}

const [part] = process.argv.slice(2)
if (part === undefined || part === 'speed') await measureSpeed()
if (part === undefined || part === 'hard') measureHardSets()
if (part === undefined || part === 'doubling') measureDoubling()
