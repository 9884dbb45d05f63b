// Counts false finds in ordinary code and prose: 50 MB of installed npm packages and of Debian's documentation. The
// list beside this file says of each find by its hash whether it is true; a find that it does not name counts as false.
//   pnpm --filter @svc/bench pii-finds [-- --megabytes 50 --show PHONE]
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { analyzeText } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    megabytes: { type: 'string', default: '50' },
    show: { type: 'string' },
  },
})
/** Texts are cut here: a minified file would be a large share of the corpus. */
const LONGEST_FILE = 200_000
const TEXT_FILE =
  /\.(?:md|txt|js|mjs|cjs|ts|json|css|html|yml|yaml|c|h|py|sh|gz)$|(?:^|\/)(?:LICENSE|README|NEWS|copyright|changelog|AUTHORS|TODO)[^/]*$/i
const HERE = dirname(fileURLToPath(import.meta.url))

/** Files below a folder, in the order of their names, without links. */
function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path)
    else if (entry.isFile() && TEXT_FILE.test(path)) yield path
  }
}

/** Every n-th file, so that the corpus has many packages and not only the first. */
function* spread(paths: readonly string[]): Generator<string> {
  const step = 37
  for (let from = 0; from < step; from++) for (let at = from; at < paths.length; at += step) yield paths[at] ?? ''
}

function readText(path: string): string {
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
  return text.includes('\u0000') ? '' : text.slice(0, LONGEST_FILE)
}

/** Texts of a folder up to a size, each once. */
function collect(folder: string, size: number): { texts: string[]; size: number } {
  const texts: string[] = []
  const seen = new Set<string>()
  let read = 0
  if (!existsSync(folder)) return { texts, size: 0 }
  for (const path of spread([...walk(folder)])) {
    if (read >= size) break
    if (statSync(path).size > 4 * LONGEST_FILE) continue
    const text = readText(path)
    const key = createHash('sha256').update(text).digest('hex')
    if (text === '' || seen.has(key)) continue
    seen.add(key)
    texts.push(text)
    read += Buffer.byteLength(text)
  }
  return { texts, size: read }
}

/** The list: group, first twelve digits of the hash or `*` for all others, `true` or `false`. */
function readVerdicts(): Map<string, boolean> {
  const path = join(HERE, 'pii-finds.tsv')
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('\t'))
      .map(([group, hash, verdict]) => [`${group}\t${hash}`, verdict === 'true']),
  )
}

const half = (Number(values.megabytes) * 1e6) / 2
const debian = collect('/usr/share/doc', half)
const packages = collect(join(HERE, '../../node_modules/.pnpm'), 2 * half - debian.size)
const detectors = [createDetector({ name: 'all', settings: { builtins: ['all'] }, slices: { sliceMs: 60_000 } })]
const verdicts = readVerdicts()
const counts = new Map<string, { found: number; false: number }>()
for (const text of [...debian.texts, ...packages.texts]) {
  const { scanned, spans } = await analyzeText(text, { detectors })
  for (const { group, start, end } of spans) {
    const value = scanned.slice(start, end)
    const key = `${group}\t${createHash('sha256').update(value).digest('hex').slice(0, 12)}`
    const count = counts.get(group) ?? { found: 0, false: 0 }
    const isFalse = (verdicts.get(key) ?? verdicts.get(`${group}\t*`)) !== true
    counts.set(group, { found: count.found + 1, false: count.false + (isFalse ? 1 : 0) })
    if (values.show === group || values.show === 'all') {
      const around = scanned.slice(Math.max(0, start - 50), end + 20).replaceAll('\n', ' ')
      console.log(`${key}\t${isFalse ? 'false' : 'true'}\t${JSON.stringify(value)}\t${around}`)
    }
  }
}
const megabytes = (debian.size + packages.size) / 1e6
console.log(`${(debian.size / 1e6).toFixed(1)} MB of documentation, ${(packages.size / 1e6).toFixed(1)} MB of packages`)
let wrong = 0
for (const [group, count] of [...counts].toSorted(
  ([, one], [, other]) => other.false - one.false || other.found - one.found,
)) {
  wrong += count.false
  console.log(`${group.padEnd(28)} ${String(count.found).padStart(6)} found ${String(count.false).padStart(6)} false`)
}
console.log(`${(wrong / megabytes).toFixed(2)} false finds a MB`)
