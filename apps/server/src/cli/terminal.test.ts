import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Modules that write to a terminal by themselves: programs of the build, and the log, whose lines are escaped. */
const WRITERS = new Set([
  'catalog/keys/print-schema.ts',
  'cli/terminal.ts',
  'config/print-docs.ts',
  'inference/core/print-stages.ts',
  'main.ts',
])

it('every module prints through the terminal module, which escapes foreign texts', async () => {
  const folder = join(import.meta.dirname, '..')
  const names = await readdir(folder, { recursive: true })
  const sources = names.filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|__fixtures__/.test(name))
  expect(sources.length).toBeGreaterThan(300)
  const texts = await Promise.all(
    sources.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  )
  const writing = texts
    .filter(([, text]) => /\bstd(?:out|err)\.write\(|\bconsole\.\w+\(/.test(text))
    .map(([name]) => name)
  expect(writing.filter((name) => !WRITERS.has(name.replaceAll('\\', '/')))).toEqual([])
})
