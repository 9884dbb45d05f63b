import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { parseRecord, readRecord, writeRecord } from './guard-record.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-guard-record-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const RECORD = {
  ...{ commit: '0123456', day: '2026-11-30', node: '20.20.2', processor: 'one of two', load: 1.5, pairs: 12 },
  ...{ chatUs: 500, eventUs: 4.2, startMs: 400 },
}

it('reads what it has written, and leaves nothing else', () => {
  const file = join(folder, 'guard.json')
  expect(readRecord(file)).toBeUndefined()
  writeRecord(file, { ...RECORD, chatUs: 1 })
  writeRecord(file, RECORD)
  expect(readRecord(file)).toEqual(RECORD)
  expect(readdirSync(folder)).toEqual(['guard.json'])
})

it.each(['', '[]', 'null', '{"chatUs": 1}', JSON.stringify({ ...RECORD, startMs: '400' })])('refuses %j', (text) => {
  expect(() => parseRecord(text, 'guard.json')).toThrow('guard.json does not hold the figures of a run')
  const file = join(folder, 'broken.json')
  writeFileSync(file, text)
  expect(() => readRecord(file)).toThrow('--write')
})
