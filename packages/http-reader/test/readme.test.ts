import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const toPath = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

it('prints what the example of the README says', async () => {
  const readme = readFileSync(toPath('README.md'), 'utf8')
  const code = /```ts\n(?<code>[\s\S]+?)```/.exec(readme)?.groups?.code ?? ''
  const expected = [...code.matchAll(/^\/\/ (read by .*)$/gm)].map(([, line]) => line)
  const file = toPath('.readme-example.mts')
  writeFileSync(file, code)
  onTestFinished(() => rmSync(file))
  const args = ['--conditions=@svc/source', '--import', 'tsx', file]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: toPath('.') })
  expect(stdout.trim().split('\n')).toEqual(expected)
  expect(expected).toEqual(['read by the reader', 'read by Node'])
  expect(stderr).toBe('')
})
