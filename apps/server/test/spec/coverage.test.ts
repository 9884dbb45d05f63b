import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readCitations } from './citations.ts'
import { renderBehaviour } from './render-behaviour.ts'
import type { Requirement } from './requirement.ts'
import { REQUIREMENTS } from './requirements.ts'

const rows: readonly Requirement[] = REQUIREMENTS
const citations = readCitations()
const at = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), 'utf8')

describe('the spec manifest', () => {
  it('has every id once, well formed', () => {
    const ids = rows.map((row) => row.id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+(:[a-z0-9-]+){1,3}$/)
  })

  it('is cited by a test wherever it says built', () => {
    expect(rows.filter((row) => row.state === 'built' && !citations.has(row.id)).map((row) => row.id)).toEqual([])
  })

  it('says built wherever a test cites it', () => {
    expect(rows.filter((row) => row.state === 'gap' && citations.has(row.id)).map((row) => row.id)).toEqual([])
  })

  it('knows every id that a test cites', () => {
    const known = new Set<string>(rows.map((row) => row.id))
    expect([...citations].filter(([id]) => !known.has(id))).toEqual([])
  })

  it('equals docs/behaviour.md', () => {
    expect(at('docs/behaviour.md')).toBe(renderBehaviour(rows))
  })
})
