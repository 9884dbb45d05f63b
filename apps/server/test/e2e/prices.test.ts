import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runBuilt } from '../support/built-server.ts'

let folder = ''
let dir: Awaited<ReturnType<typeof tempDir>>

beforeAll(async () => {
  dir = await tempDir('svc-prices-')
  folder = dir.path
  await mkdir(join(folder, 'models'), { recursive: true })
  await writeFile(join(folder, 'models/big.yaml'), 'name: big\nbackend: mock\n')
  await writeFile(join(folder, 'models/own.yaml'), 'name: own\nbackend: mock\npricing: { compute_second: 0.25 }\n')
  await writeFile(join(folder, 'models/other.yaml'), 'name: other\nbackend: mock\n')
})
afterAll(() => dir[Symbol.asyncDispose]())

async function run(text: string, ...args: readonly string[]) {
  const file = join(folder, 'prices.yaml')
  await writeFile(file, text)
  return await runBuilt(folder, ['prices', ...args.map((arg) => (arg === 'FILE' ? file : arg))])
}

const LIST = 'prices:\n  - { model: big, input: 2.5, output: 10 }\n'
const WRONG = 'prices:\n  - { model: big, input: much }\n  - { model: big, inptu: 1 }\n'

describe('svc prices', () => {
  it('check says what a list holds', async () => {
    const { code, stdout } = await run(LIST, 'check', 'FILE')
    expect([code, stdout]).toEqual([0, 'prices.yaml: 1 price, costs in USD'])
  })

  it('check names the lines of every fault', async () => {
    const { code, stderr } = await run(WRONG, 'check', 'FILE')
    expect(code).toBe(1)
    expect(stderr).toContain('prices.yaml:2: prices[0].input: must be a decimal number')
    expect(stderr).toContain('prices.yaml:3: prices[1].inptu: unknown key')
    expect((await run(LIST, 'check', 'missing.yaml')).code).toBe(1)
    expect((await run(LIST, 'check')).code).toBe(2)
  })

  it('list has each model with its price now', async () => {
    const flags = ['--models-path', join(folder, 'models'), '--prices-file', join(folder, 'prices.yaml')]
    const { code, stdout } = await run(LIST, 'list', ...flags)
    expect(code).toBe(0)
    expect(stdout).toContain('big: input 2.5, output 10 (line 2 of the list)\n')
    expect(stdout).toContain('own: compute_second 0.25 (its own file)')
    expect(stdout).toContain('other: no price\n')
    const rows = JSON.parse((await run(LIST, 'list', '--json', ...flags)).stdout) as { model: string }[]
    expect(rows).toContainEqual({
      model: 'big',
      origin: 'list',
      line: 2,
      currency: 'USD',
      price: { model: 'big', input: '2.5', output: '10' },
    })
    expect((await run(WRONG, 'list', ...flags)).code).toBe(1)
  })
})
