import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url))

/** Sources that import a module, types left out. */
const importers = (module: RegExp): readonly string[] =>
  readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => module.test(readFileSync(`${SOURCES}${file}`, 'utf8')))

describe('the package', () => {
  it('loads drizzle and the libraries of providers for their own entries alone', () => {
    expect(importers(/from 'drizzle-orm/).filter((file) => !file.startsWith('drizzle/'))).toEqual([])
    expect(importers(/from '(jose|openid-client)'/).filter((file) => !file.startsWith('oauth/'))).toEqual([])
  })

  it('loads password hashing and dictionaries when they are needed, not before', () => {
    expect(importers(/from '(@node-rs\/argon2|bcrypt|@zxcvbn-ts\/[a-z-]+)'/)).toEqual([])
    expect(importers(/import\('(@node-rs\/argon2|bcrypt|@zxcvbn-ts\/[a-z-]+)'\)/)).toEqual(['accounts/passwords.ts'])
  })

  it('reads no environment and starts nothing', () => {
    expect(importers(/process\.env|from 'node:http|setInterval/)).toEqual([])
  })
})
