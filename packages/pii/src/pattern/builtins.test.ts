import { describe, expect, it } from 'vitest'
import { BUILTIN_NAMES } from './builtin-names.ts'
import { BUILTIN_PATTERNS } from './builtins.ts'
import { type Builtin, NAMED_BUILTINS } from './catalogue.ts'
import { BUILTINS } from './full-catalogue.ts'
import { PatternMatcher } from './matcher.ts'

/** Runs one built-in on a text and returns its findings. */
function found(name: string, text: string): string[] {
  const builtin = BUILTIN_PATTERNS.find((one) => one.name === name)
  if (builtin === undefined) throw new Error(name)
  return new PatternMatcher([builtin.pattern]).match(text).map(({ start, end }) => text.slice(start, end))
}

const header = '-----BEGIN RSA PRIVATE KEY-----'
const footer = '-----END RSA PRIVATE KEY-----'
const body = 'MIIBOgIBAAJBAKx\nq83sDf+/2w=='

describe.each([
  [
    'provider_a_api_key',
    'sk-proj-Zq9Zq9Zq9Zq9Zq9Zq9Zq',
    ['sk-short', 'task-bbbbbbbbbbbbbbbbbbbbbbbb', 'SK-aaaaaaaaaaaaaaaaaaaaaaa'],
  ],
  ['provider_b_api_key', 'sk-ant-api03-Zq9Zq9Zq9Zq9Zq9', ['sk-ant-short', 'xsk-ant-Zq9Zq9Zq9Zq9Zq9Zq9Zq9']],
  ['codehost_token', `ghp_${'A1b2'.repeat(9)}`, ['ghp_short', `ghx_${'A1b2'.repeat(9)}`, `xghp_${'A1b2'.repeat(9)}`]],
  ['codehost_token', 'github_pat_11AAAAAAA0abcdefghij', ['github_pat_short']],
  ['cloud_access_key', 'AKIAQ7Q7Q7Q7Q7Q7Q7Q7', ['AKIAshort', 'AKIAQ7Q7Q7Q7Q7Q7Q7Q7Z', 'XAKIAQ7Q7Q7Q7Q7Q7Q7Q7']],
  ['cloud_access_key', 'ASIAQ7Q7Q7Q7Q7Q7Q7Q7', ['ASIAN FOOD']],
  ['google_api_key', `AIza${'Sy-_0'.repeat(7)}`, [`AIza${'Sy-_0'.repeat(7)}x`, 'AIzaShort']],
  ['slack_token', 'xoxb-1234567890-abc', ['xoxz-1234567890', 'xoxb-123']],
  ['stripe_key', 'rk_live_0123456789abcdef', ['pk_live_0123456789abcdef', 'sk_live_short']],
  [
    'jwt',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN',
    ['eyJhbGciOiJIUzI1NiJ9.abc.def', 'eyJhbGciOiJIUzI1NiJ9'],
  ],
])('%s: %s', (name, secret, decoys) => {
  it('is found whole, in any surroundings', () => {
    for (const [before, after] of [
      ['', ''],
      ['(', ')'],
      ['key: "', '"'],
      ['é', '🔑'],
      ['\n', '\r\n'],
      ['=', ','],
      ['🔑', ' '],
    ] as const) {
      expect(found(name, `${before}${secret}${after}`)).toEqual([secret])
    }
  })

  it('is not found in lookalikes', () => {
    for (const decoy of decoys) expect(found(name, decoy)).toEqual([])
  })
})

describe('private_key_block covers the key, not its first line alone', () => {
  it.each([
    ['with its END line', `${header}\n${body}\n${footer}`],
    ['with carriage returns', `${header}\r\n${body.replaceAll('\n', '\r\n')}\r\n${footer}`],
    ['as an escaped string', `${header}\\n${body.replaceAll('\n', '\\n')}\\n${footer}`],
    ['on one line', `${header} ${'MIIBOgIBAAJBAKxq83sDf'} ${footer}`],
    ['encrypted', `${header}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n${body}\n${footer}`],
    ['without an END line', `${header}\n${body}`],
    ['encrypted, without an END line', `${header}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB12\n\n${body}`],
    ['escaped, without an END line', `${header}\\n${body.replaceAll('\n', '\\n')}`],
    ['on one line, without an END line', `${header} ${'MIIBOgIBAAJBAKxq83sDf'}`],
    ['of another label', `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`],
    ['in armour', `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${body}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----`],
    ['its first line alone', header],
  ])('%s', (_, block) => {
    expect(found('private_key_block', block)).toEqual([block])
    expect(found('private_key_block', `see:\n${block}\n\n# that was it`)[0]?.startsWith(block)).toBe(true)
  })

  it('two keys one after the other are two', () => {
    const block = `${header}\n${body}\n${footer}`
    expect(found('private_key_block', `${block}\n${block}`)).toEqual([block, block])
  })

  it('a certificate beside it stays', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'
    const block = `${header}\n${body}\n${footer}`
    expect(found('private_key_block', `${certificate}\n${block}\n${certificate}`)).toEqual([block])
    expect(found('private_key_block', '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----')).toEqual([])
  })

  it('many headers without an END line are read in time that grows with the text', () => {
    expect(found('private_key_block', `${header} and then -- `.repeat(20_000))).toHaveLength(20_000)
  })
})

describe('the catalogue', () => {
  it('has each name once', () => {
    const names = BUILTINS.builtins.flatMap(({ name, aliases }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    expect([...BUILTIN_NAMES].sort()).toEqual(names.sort())
    expect(new Set(BUILTINS.builtins.map(({ group }) => group)).size).toBe(BUILTINS.builtins.length)
  })

  it.each([
    ['openai_api_key', 'provider_a_api_key'],
    ['anthropic_api_key', 'provider_b_api_key'],
    ['github_token', 'codehost_token'],
    ['github_pat', 'codehost_token'],
    ['aws_access_key', 'cloud_access_key'],
  ])('%s is %s', (alias, name) => {
    expect(BUILTINS.find(alias)).toBe(BUILTINS.find(name))
    expect(BUILTINS.find(name)?.map((builtin) => builtin.name)).toEqual([name])
  })

  it('is named, with its groups, as the forms are', () => {
    const toNames = ({ name, aliases, group }: Builtin) => ({ name, aliases, group })
    expect(NAMED_BUILTINS.builtins.map(toNames)).toEqual(BUILTINS.builtins.map(toNames))
  })

  it('knows no other names', () => {
    expect(BUILTINS.find('constructor')).toBeUndefined()
    expect(BUILTINS.find('')).toBeUndefined()
  })
})
