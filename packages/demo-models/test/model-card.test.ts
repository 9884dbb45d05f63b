import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { demoModels } from '@svc/demo-models'
import { describe, expect, test } from 'vitest'

const inPackage = (path: string): URL => new URL(`../${path}`, import.meta.url)
const read = (path: string): string => readFileSync(inPackage(path), 'utf8')

describe('the model card', () => {
  test.each(demoModels.map(({ name, file }) => [name, file]))('gives size and SHA-256 of %s', (_, file) => {
    const bytes = readFileSync(file)
    const sum = createHash('sha256').update(bytes).digest('hex')
    expect(read('MODEL_CARD.md')).toContain(`${bytes.length} bytes, SHA-256 \`${sum}\``)
  })

  const ggufModels = demoModels.filter(({ file }) => file.endsWith('.gguf'))
  test.each(ggufModels.map(({ name, file }) => [name, file]))('and the file of %s itself say MIT', (_, file) => {
    expect(read('MODEL_CARD.md')).toMatch(/^\| Licence +\| MIT, weights and data program alike/m)
    // key, its length before it; type 8 is a string, its length before it
    const key = Buffer.from('general.license')
    const bytes = readFileSync(file)
    const value = bytes.indexOf(key) + key.length
    expect([bytes.readUInt32LE(value), bytes.readBigUInt64LE(value + 4)]).toEqual([8, 3n])
    expect(bytes.toString('latin1', value + 12, value + 15)).toBe('mit')
  })

  test('shows the figures that the README and the log show', () => {
    const figures = read('training/log/evaluation.txt').trim().split('\n\n')
    expect(figures).toHaveLength(4)
    for (const part of figures) {
      expect(read('MODEL_CARD.md')).toContain(part)
      expect(read('README.md')).toContain(part)
    }
  })
})

const python = (args: readonly string[], hashSeed: string) =>
  spawnSync('python3', ['generate.py', ...args], {
    cwd: fileURLToPath(inPackage('training')),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, PYTHONHASHSEED: hashSeed, PYTHONDONTWRITEBYTECODE: '1' },
  })

describe.skipIf(spawnSync('python3', ['--version']).status !== 0)('the data program', () => {
  test('draws the same from the same seed, for any hash seed', () => {
    const first = python(['--count', '200', '--seed', '300000'], '1')
    expect(first.stderr).toBe('')
    expect(first.stdout.trim().split('\n')).toHaveLength(200)
    expect(python(['--count', '200', '--seed', '300000'], '2').stdout).toBe(first.stdout)
  })

  test('draws the committed held-out questions', () => {
    expect(python(['--evaluation', '100'], '3').stdout).toBe(read('evaluation/sets.jsonl'))
  })

  test('keeps held-out questions out of the training data', () => {
    const trained = new Set(
      python(['--count', '20000', '--seed', '0'], '4')
        .stdout.trim()
        .split('\n')
        .flatMap((line) =>
          (JSON.parse(line) as { turns: [string, string][] }).turns.map(([, text]) => text.toLowerCase()),
        ),
    )
    const lines = read('evaluation/sets.jsonl').trim().split('\n')
    const newPhrases = lines
      .map((line) => JSON.parse(line) as { set: string; messages?: { content: string }[] })
      .filter(({ set }) => set.endsWith('new phrase'))
      .map(({ messages }) => messages?.[0]?.content.toLowerCase() ?? '')
    expect(newPhrases.length).toBeGreaterThan(150)
    expect(newPhrases.filter((text) => trained.has(text))).toEqual([])
  })
})
