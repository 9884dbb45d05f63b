import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { tempDir } from '@svc/test-kit'
import { expect, it, onTestFinished } from 'vitest'

const toPath = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url))

it('the example of the README starts a proxy with a filter in 15 lines or fewer', async () => {
  const code = /```ts\n(?<code>[\s\S]+?)```/.exec(readFileSync(toPath('README.md'), 'utf8'))?.groups?.code ?? ''
  const file = toPath('.readme-example.mts')
  await using dir = await tempDir()
  await writeFile(file, code.replaceAll("'./mitm-ca'", JSON.stringify(dir.join('mitm-ca'))))
  onTestFinished(() => rmSync(file))
  const args = ['--conditions=@svc/source', '--import', 'tsx', file]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: toPath('.') })
  expect([stdout, stderr]).toEqual(['ready on 127.0.0.1\n', ''])
  const lines = code.split('\n').filter((line) => line !== '' && !/^(import|\/\/)/.test(line))
  expect(lines.length).toBeLessThanOrEqual(15)
})
