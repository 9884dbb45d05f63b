// Measures the built-in detectors: MB of text a second of processor time, for all structured detectors, all secrets and
// both, beside ten patterns and beside 128 patterns of an operator. The texts are prose and chats, prose of six scripts,
// logs and digits; then come the cost of a small body and the time to create a detector. It measures the built library:
// from its source, small bodies would also pay for the loader of TypeScript.
//   pnpm --filter @svc/bench pii-detectors [-- --part texts|scripts|body --rounds 12]
import { readdirSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { DetectionSettings } from '@svc/pii'
import { createDetector, type Detector } from '@svc/pii/detectors'
import { CompiledPattern, PatternMatcher } from '@svc/pii/patterns'
import { chatCorpus, logText } from './pii-corpus.ts'
import { CUSTOM_PATTERNS, TEN_SECRETS } from './pii-patterns.ts'
import { digitsText, scriptTexts } from './pii-scripts.ts'
import { seconds } from './processor-time.ts'

const { values: options } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: { part: { type: 'string' }, rounds: { type: 'string', default: '12' } },
})
const isWanted = (part: string): boolean => options.part === undefined || options.part === part
const ROUNDS = Number(options.rounds)
const LENGTH = 2 * 2 ** 20
const SMALL_BODY = 600
const SMALL_RUNS = 20_000
const { signal } = new AbortController()

const named = (patterns: readonly string[]) => patterns.map((match, index) => ({ name: `P${index}`, match }))
const SETS: Readonly<Record<string, DetectionSettings>> = {
  'ten patterns': { patterns: named(TEN_SECRETS) },
  structured: { builtins: ['structured'] },
  secrets: { builtins: ['secrets'] },
  all: { builtins: ['all'] },
  '128 patterns': { patterns: named(CUSTOM_PATTERNS) },
  'structured, 128 patterns': { builtins: ['structured'], patterns: named(CUSTOM_PATTERNS) },
  'all, 128 patterns': { builtins: ['all'], patterns: named(CUSTOM_PATTERNS) },
}

/** Sentences of this repository's documentation, in ASCII. */
function prose(): string {
  const folders = [new URL('../../docs/', import.meta.url), new URL('../../docs/decisions/', import.meta.url)]
  const pages = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .map((name) => readFileSync(new URL(name, folder), 'utf8')),
  )
  const sentences = pages
    .join('\n')
    .split('\n')
    .filter((line) => /^[A-Z][a-z].{60}/.test(line) && !line.includes('|'))
  const once = sentences.join('\n').replaceAll(/[^\n\x20-\x7e]/g, '-')
  const text = once.repeat(Math.ceil(LENGTH / once.length)).slice(0, LENGTH)
  // Decoded from bytes, so that the engine holds it like the body of a request.
  return Buffer.from(text, 'latin1').toString('latin1')
}

function create(settings: DetectionSettings): Detector {
  return createDetector({ name: 'bench', settings, slices: { sliceMs: 600_000 } })
}

function count(detector: Detector, text: string): number {
  const found = detector.detect({ text, segments: [{ start: 0, end: text.length }], messages: [] }, { signal })
  if ('then' in found) throw new Error('the search was cut into slices')
  return found.length
}

/** The number of finds in a text. */
type Search = (text: string) => number

/** The name of the search that the others are compared with. */
type Base = 'ten patterns' | typeof MATCHER
const MATCHER = 'the matcher of ten patterns'

function measure(title: string, text: string, searches: ReadonlyMap<string, Search>, baseName: Base): void {
  const times = new Map([...searches.keys()].map((name) => [name, Number.POSITIVE_INFINITY]))
  const found = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, search] of searches) {
      const time = seconds(() => found.set(name, search(text)))
      times.set(name, Math.min(times.get(name) ?? time, time))
    }
  }
  const base = times.get(baseName) ?? 1
  const megabytes = Buffer.byteLength(text) / 1e6
  console.log(`\n${title} (${(text.length / 1e6).toFixed(1)} M characters, ${megabytes.toFixed(1)} MB)`)
  for (const [name, time] of times) {
    const rate = (megabytes / time).toFixed(0).padStart(6)
    const ratio = `${(time / base).toFixed(2).padStart(5)} times the time, ${(base / time).toFixed(2)} of the speed`
    console.log(`  ${name.padEnd(28)} ${rate} MB/s  ${ratio} of ${baseName}  ${found.get(name)} finds`)
  }
}

const detectors = new Map<string, Detector>()
console.log('create')
for (const [name, settings] of Object.entries(SETS)) {
  const time = seconds(() => detectors.set(name, create(settings)))
  console.log(`  ${name.padEnd(26)} ${(time * 1000).toFixed(0).padStart(6)} ms`)
}
const searches = new Map(
  [...detectors].map(([name, detector]): [string, Search] => [name, (text) => count(detector, text)]),
)
if (isWanted('texts')) {
  measure('prose', prose(), searches, 'ten patterns')
  measure('chats: prose, code and log lines', chatCorpus(LENGTH, true, []), searches, 'ten patterns')
}
if (isWanted('scripts')) {
  const matcher = new PatternMatcher(TEN_SECRETS.map((source) => new CompiledPattern(source)))
  const some = new Map<string, Search>([
    [MATCHER, (text) => matcher.match(text).length],
    ...[...searches].filter(([name]) => !name.includes('128')),
  ])
  for (const [script, text] of scriptTexts(LENGTH)) measure(`prose, ${script}`, text, some, MATCHER)
  measure('lines of a log', logText(LENGTH), some, MATCHER)
  measure('lines of numbers', digitsText(LENGTH), some, MATCHER)
}
if (isWanted('body')) measureBody()

function measureBody(): void {
  console.log(`\nbody of ${SMALL_BODY} characters`)
  const small = prose().slice(0, SMALL_BODY)
  for (const [name, detector] of detectors) {
    let least = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      least = Math.min(
        least,
        seconds(() => {
          for (let run = 0; run < SMALL_RUNS; run++) count(detector, small)
        }),
      )
    }
    console.log(`  ${name.padEnd(26)} ${((least / SMALL_RUNS) * 1e6).toFixed(2).padStart(6)} µs`)
  }
}
