import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { patienceMs } from '../packages/test-kit/src/patience.ts'
import { tempDir } from '../packages/test-kit/src/temp-dir.ts'
import { applyChange, applyLines, copyRepository, readRecipe } from './recipe.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = readdirSync(join(ROOT, 'contributing')).map((page) => {
  const { changes, tests } = readRecipe(readFileSync(join(ROOT, 'contributing', page), 'utf8'))
  return { page, changes, tests }
})
const FOLLOWED = PAGES.filter(({ changes }) => changes.length > 0)
const run = promisify(execFile)

describe('the recipes of contributing/', () => {
  it('can be followed for these kinds of changes', () => {
    expect(FOLLOWED.map(({ page }) => page)).toEqual([
      'feature.md',
      'model-key.md',
      'route.md',
      'setting.md',
      'stage.md',
    ])
    expect(FOLLOWED.filter(({ tests }) => tests.length === 0)).toEqual([])
  })

  it('touch at most five files outside the folder of a new feature with a route, a setting and a table', () => {
    const { changes = [] } = PAGES.find(({ page }) => page === 'feature.md') ?? {}
    const outside = changes.filter(({ file }) => !file.startsWith('apps/server/src/api/admin/notes/'))
    expect(new Set(outside.map(({ file }) => file)).size).toBeLessThanOrEqual(5)
  })

  // All together in one copy: the compiler runs once. A file that a page does not name stays as it was.
  it(
    'compile, and pass the tests that they name',
    async () => {
      await using dir = await tempDir()
      const copy = dir.join('copy')
      copyRepository(ROOT, copy)
      for (const { changes } of FOLLOWED) for (const change of changes) applyChange(copy, change)
      const node = (args: readonly string[], cwd = copy) =>
        run(process.execPath, args, { cwd, maxBuffer: 1 << 26, env: { ...process.env, NO_COLOR: '1' } }).then(
          () => 'passed',
          ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}\n${stderr}`.slice(-8000),
        )
      const server = join(copy, 'apps/server')
      const kit = join(server, 'node_modules/drizzle-kit/bin.cjs')
      for (const dialect of ['sqlite', 'postgres']) {
        const config = `src/db/drizzle-${dialect}.config.ts`
        expect(await node([kit, 'generate', '--config', config, '--name', 'notes'], server)).toBe('passed')
      }
      expect(await node([join(copy, 'scripts/gen.mjs'), 'pages', 'stages', 'phases', 'web'])).toBe('passed')
      expect(await node([join(copy, 'node_modules/tsgo/bin/tsc'), '-b', 'apps/server'])).toBe('passed')
      const tests = [...new Set(FOLLOWED.flatMap((page) => page.tests))]
      expect(await node([join(copy, 'node_modules/vitest/vitest.mjs'), 'run', ...tests])).toBe('passed')
    },
    patienceMs(900_000),
  )
})

describe('lines of a recipe', () => {
  it('go where their neighbours stand', () => {
    expect(applyLines('a\nb\nc\n', ' a\n+x\n b\n')).toBe('a\nx\nb\nc\n')
    expect(applyLines('a\nb\nc\n', '-a\n+x\n@@\n c\n+d\n')).toBe('x\nb\nc\nd\n')
  })
  it.each([
    [' d\n+x\n', 'these lines stand 0 times'],
    [' a\n+x\n', 'these lines stand 2 times'],
  ])('are refused where their place is not certain: %j', (diff, message) => {
    expect(() => applyLines('a\nb\na\n', diff)).toThrow(message)
  })
  it('are read with their indentation', () => {
    const { changes, tests } = readRecipe(
      [
        '1. Do',
        '',
        '   ```ts a/b.ts',
        '   one',
        '     two',
        '   ```',
        '',
        '```sh',
        'no',
        '```',
        '`npx vitest run a b`',
      ].join('\n'),
    )
    expect(changes).toEqual([{ file: 'a/b.ts', kind: 'new', text: 'one\n  two\n' }])
    expect(tests).toEqual(['a', 'b'])
  })
})
