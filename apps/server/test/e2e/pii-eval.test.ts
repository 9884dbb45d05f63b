import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runBuilt } from '../support/built-server.ts'

let folder = ''
let dir: Awaited<ReturnType<typeof tempDir>>

beforeAll(async () => {
  dir = await tempDir('svc-pii-eval-')
  folder = dir.path
  await mkdir(join(folder, 'models'), { recursive: true })
  const detector = ['name: tickets', 'backend: pattern', 'pii_detection:', '  builtins: [email]', '  patterns:']
  const pattern = ['    - { name: TICKET, match: "tick-[0-9]+" }']
  await writeFile(join(folder, 'models/tickets.yaml'), [...detector, ...pattern].join('\n'))
  await writeFile(join(folder, 'models/chat.yaml'), 'name: chat\nbackend: mock\n')
})
afterAll(() => dir[Symbol.asyncDispose]())

const label = (text: string, value: string, group: string) => {
  const start = [...text.slice(0, text.indexOf(value))].length
  return { text, spans: [{ start, end: start + [...value].length, group }] }
}

const LINES = [
  label('🔑 write to jane@lab.example', 'jane@lab.example', 'EMAIL'),
  label('write to jane at lab.example', 'jane at lab.example', 'EMAIL'),
  { text: 'tick-77 is open, mail bo@lab.example', spans: [] },
]

async function evaluate(lines: readonly unknown[], ...args: readonly string[]) {
  const file = join(folder, 'texts.jsonl')
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return await runBuilt(folder, ['pii', 'eval', file, '--models-path', join(folder, 'models'), ...args])
}

describe('svc pii eval', () => {
  it('prints figures, misses and false finds of all built-ins', async () => {
    const { code, stdout } = await evaluate(LINES)
    expect([code, stdout]).toEqual([0, expect.stringContaining('all built-ins: 3 texts, 2 labels')])
    expect(stdout).toMatch(/EMAIL +2 +50\.0 % +50\.0 % +50\.0 %/)
    expect(stdout).toContain('EMAIL missed: line 2: "jane at lab.example"')
    expect(stdout).toContain('EMAIL false: line 3: "bo@lab.example"')
  })

  it('runs the detectors that are named, and proposes actions', async () => {
    const { code, stdout } = await evaluate(LINES, '--detectors', 'tickets')
    expect([code, stdout]).toEqual([0, expect.stringContaining('tickets: 3 texts')])
    expect(stdout).toContain('TICKET false: line 3: "tick-77"')
    expect(stdout).toContain('pii_detection:\n  entity_actions:\n    TICKET: allow')
  })

  it('names lines that it cannot use, and ends with code 1', async () => {
    const bad = [...LINES, 'damaged', { text: 'x', spans: [{ start: 0, end: 9, group: 'EMAIL' }] }]
    const { code, stdout } = await evaluate([...bad, label('Ada', 'Ada', 'PERSON')])
    expect([code, stdout]).toEqual([1, expect.stringContaining('3 texts, 2 labels')])
    expect(stdout).toContain('line 4: no JSON object')
    expect(stdout).toContain('line 5: spans[0]: 0 to 9 is out of range, the text has 1')
    expect(stdout).toContain('line 6: no detector reports the group "PERSON"')
  })

  it('reads offsets in the unit that it is told', async () => {
    const bytes = { text: '🔑 bo@lab.example', spans: [{ start: 5, end: 19, group: 'EMAIL' }] }
    expect(await evaluate([bytes], '--offsets', 'utf8')).toMatchObject({ code: 0 })
    expect(await evaluate([bytes], '--offsets=codepoint')).toMatchObject({ code: 1 })
  })

  it.each([
    [['pii', 'eval'], 2, 'pii eval takes one FILE'],
    [['pii', 'eval', 'x', '--offsets', 'bits'], 2, '--offsets: "bits" is none of codepoint, utf16, utf8'],
    [['pii', 'eval', 'x', '--detectors', ','], 2, '--detectors names no detector'],
    [['pii', 'eval', 'missing.jsonl'], 1, 'cannot be read'],
    [['pii', 'eval', 'x', '--detectors', 'nobody'], 1, 'there is no model "nobody"'],
    [['pii', 'eval', 'x', '--detectors', 'chat'], 1, 'model "chat" is not a detector'],
    [['models', 'list', '--detectors', 'x'], 2, '--detectors does not belong to models list'],
  ])('%j is refused with code %i', async (args, code, message) => {
    const run = await runBuilt(folder, [...args, '--models-path', join(folder, 'models')])
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})
