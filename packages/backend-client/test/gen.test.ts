import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folder = 'packages/backend-client/src/gen'

function filesBelow(base: string): Record<string, string> {
  const names = readdirSync(join(base, folder)).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(base, folder, name), 'utf8')]))
}

it('is what the generator writes, and names no machine and no version', () => {
  const out = mkdtempSync(join(tmpdir(), 'svc-gen-test-'))
  try {
    execFileSync(process.execPath, [join(root, 'scripts/gen.mjs'), '--out', out, 'protos'], { stdio: 'pipe' })
    const committed = filesBelow(root)
    expect(filesBelow(out)).toEqual(committed)
    expect(Object.keys(committed)).toEqual(['backend.ts', 'extensions.ts'])
    for (const text of Object.values(committed)) {
      expect(text).not.toContain(root)
      expect(text.slice(0, 200)).not.toMatch(/v\d+\.\d+/)
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
})

it('refuses a generator that does not exist', () => {
  const run = () => execFileSync(process.execPath, [join(root, 'scripts/gen.mjs'), 'nothing'], { stdio: 'pipe' })
  expect(run).toThrow(expect.objectContaining({ status: 2 }))
})
