import { describe, expect, it } from 'vitest'
import type { TermFiles } from '../ports.ts'
import { createProtectedTerms, createTermMatchers } from './protected-terms.ts'
import type { TermMatcher } from './term-matcher.ts'

const found = (matcher: TermMatcher | undefined, text: string) =>
  matcher?.find(text, { start: 0, end: text.length }).length ?? 0

/** Files that a test writes, and the warnings about them. */
function createWorld(files: Map<string, string>) {
  const warnings: unknown[] = []
  const termFiles: TermFiles = {
    async read(path) {
      const text = files.get(path)
      return text === undefined ? undefined : { text, stamp: `${path} ${text.length}` }
    },
  }
  const follow = (paths: string[], terms?: string[]) =>
    createProtectedTerms({
      terms,
      paths,
      files: termFiles,
      matchers: createTermMatchers(),
      logger: { warn: (fields, message) => warnings.push([fields, message]) },
    })
  return { files, warnings, follow }
}

describe('files of protected terms', () => {
  it('have a term a line; blank lines and lines that begin with # are skipped', async () => {
    const { follow } = createWorld(new Map([['a', '\ufeff# hotels\r\n  Seerose  \n\n#Bergblick\nHaus # 7\r']]))
    const terms = await follow(['a'], ['Talblick']).current()
    expect(['Seerose', 'Talblick', 'Haus # 7', 'Bergblick', 'hotels'].map((text) => found(terms, text))).toEqual([
      1, 1, 1, 0, 0,
    ])
  })

  it('are read again when they change, and not compiled again while they do not', async () => {
    const { follow, files } = createWorld(new Map([['a', 'Seerose']]))
    const terms = follow(['a'])
    const first = await terms.current()
    expect(await terms.current()).toBe(first)
    files.set('a', 'Bergblick')
    const second = await terms.current()
    expect([found(second, 'Seerose'), found(second, 'Bergblick')]).toEqual([0, 1])
    files.delete('a')
    expect(await terms.current()).toBeUndefined()
  })

  it('that are missing are skipped, with one warning until they are there', async () => {
    const { follow, files, warnings } = createWorld(new Map([['b', 'Seerose']]))
    const terms = follow(['a', 'b'])
    expect(found(await terms.current(), 'Seerose')).toBe(1)
    await terms.current()
    const warning = [{ path: 'a' }, 'file of protected terms cannot be read, skipped']
    expect(warnings).toEqual([warning])
    files.set('a', 'Bergblick')
    expect(found(await terms.current(), 'Bergblick')).toBe(1)
    files.delete('a')
    await terms.current()
    expect(warnings).toEqual([warning, warning])
  })

  it('are all missing without a reader of files', async () => {
    const terms = createProtectedTerms({ terms: ['Seerose'], paths: ['a'], matchers: createTermMatchers() })
    expect(found(await terms.current(), 'Seerose')).toBe(1)
  })
})

describe('compiled matchers', () => {
  it('are shared by lists that are equal', () => {
    const matchers = createTermMatchers()
    const one = matchers.findMatcher(['Seerose', 'Bergblick'])
    expect(matchers.findMatcher(['Seerose', 'Bergblick'])).toBe(one)
    expect(matchers.findMatcher(['Seerose'])).not.toBe(one)
  })

  it('are kept for the lists that were asked for last', () => {
    const matchers = createTermMatchers({ capacity: 2 })
    const one = matchers.findMatcher(['one'])
    const two = matchers.findMatcher(['two'])
    expect(matchers.findMatcher(['one'])).toBe(one)
    matchers.findMatcher(['three'])
    expect(matchers.findMatcher(['one'])).toBe(one)
    expect(matchers.findMatcher(['two'])).not.toBe(two)
  })
})
