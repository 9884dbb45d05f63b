import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { FORMATS } from './formats.ts'
import { readApiSearch } from './search.ts'
import { makeSnippet, type SnippetOptions } from './snippets.ts'

const options: SnippetOptions = {
  format: 'chat',
  language: 'curl',
  root: 'http://site.example/llm/',
  model: 'demo',
  key: { kind: 'none' },
}

/** The arguments that a shell hands to curl. */
function runCurl(snippet: string, key = ''): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${snippet}`
  const out = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { SVC_API_KEY: key } })
  return out.split('\0').slice(0, -1)
}

describe('a snippet for curl', () => {
  it('sends a chat below the prefix of the server, without a key where none is asked for', () => {
    expect(runCurl(makeSnippet(options))).toEqual([
      'http://site.example/llm/v1/chat/completions',
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"model":"demo","messages":[{"role":"user","content":"Hello"}]}',
    ])
  })
  it('takes the key from the environment', () => {
    expect(runCurl(makeSnippet({ ...options, key: { kind: 'variable' } }), 'k1')).toContain('Authorization: Bearer k1')
    expect(runCurl(makeSnippet({ ...options, format: 'messages', key: { kind: 'variable' } }), 'k1')).toContain(
      'x-api-key: k1',
    )
  })
  it('keeps quotes and dollars of names and keys as they are', () => {
    const snippet = makeSnippet({ ...options, model: `it's $HOME`, key: { kind: 'value', value: `a'b$c` } })
    const given = runCurl(snippet)
    expect(given).toContain(`Authorization: Bearer a'b$c`)
    expect(JSON.parse(given.at(-1) ?? '')).toMatchObject({ model: `it's $HOME` })
  })
})

describe('a snippet for JavaScript', () => {
  it.each(FORMATS)('is a program in the format %s', (format) => {
    for (const kind of ['none', 'variable'] as const) {
      const snippet = makeSnippet({ ...options, format, language: 'js', key: { kind } })
      expect(() => new Function(`return async () => {\n${snippet}\n}`)).not.toThrow()
    }
  })
})

describe('search parameters', () => {
  it('turn wrong values into defaults', () => {
    expect(readApiSearch({ format: 'soap', lang: 1, model: '', topic: 'models' })).toEqual({ topic: 'models' })
  })
})
