import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../config/schema.ts'

const SOURCES = fileURLToPath(new URL('..', import.meta.url))
const PAGE = readFileSync(fileURLToPath(new URL('../../../../docs/configuration.md', import.meta.url)), 'utf8')

const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('config'))
  .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
  .join('\n')

describe('every setting', () => {
  it.each(SETTINGS.filter(({ refusal }) => refusal === undefined).map(({ key }) => key))(
    '%s is read where it acts',
    (key) => {
      expect(sources).toMatch(new RegExp(`\\.get\\(\\s*'${key}'`))
    },
  )
  it.each(SETTINGS.flatMap(({ key, refusal }) => (refusal === undefined ? [] : [[key, refusal]])))(
    '%s does not act, and the page says why: %s',
    (key, refusal) => {
      const line = PAGE.split('\n').find((each) => each.startsWith(`| \`${key}\` `))
      expect(line).toContain(`| ${refusal} `)
    },
  )
})
