import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SKIPPED = new Set(['node_modules', 'dist', '.tsbuild', 'gen', '__fixtures__'])

function* testFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* testFiles(path)
    else if (/\.test\.tsx?$/.test(entry.name)) yield path
  }
}

const CALL = /\b(?:verifies|knownGap)\(\s*(\[[^\]]*\]|'[^']+')/g
/** Tests of packages and of the web interface cannot import the server's helper; they cite in a comment. */
const COMMENT = /\/\/ verifies ([a-z0-9:\- ,]+)/g

/** Reads every requirement id that a test file cites, with the citing files. */
export function readCitations(): ReadonlyMap<string, readonly string[]> {
  const citations = new Map<string, string[]>()
  for (const top of ['apps', 'packages', 'examples']) {
    for (const file of testFiles(join(ROOT, top))) {
      const text = readFileSync(file, 'utf8')
      const ids = [...text.matchAll(CALL)].flatMap(([, list = '']) =>
        [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id),
      )
      const commented = [...text.matchAll(COMMENT)].flatMap(([, list = '']) => list.split(',').map((id) => id.trim()))
      for (const id of [...ids, ...commented]) citations.set(id, [...(citations.get(id) ?? []), file])
    }
  }
  return citations
}
