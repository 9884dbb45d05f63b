import { describe, expect, it } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

describe('maskSecrets', () => {
  it.each([
    ['{"api_key":"sk-123456"}', '{"api_key":"***"}'],
    ['{"text":"{\\"token\\": \\"abcdef\\"}"}', '{"text":"{\\"token\\": \\"***\\"}"}'],
    ['hf_token: hf_abcdef\nname: x', 'hf_token: ***\nname: x'],
    ['Authorization: Bearer abcdefgh', 'Authorization: ***'],
    ['sent Bearer abcdefghij to it', 'sent Bearer *** to it'],
    ['SVC_ADMIN_PASSWORD=hunter2222', 'SVC_ADMIN_PASSWORD=***'],
    ["client-secret: 'abcdef'", "client-secret: '***'"],
    ['{"args":["--api-key","abcdefgh"]}', '{"args":["--api-key","***"]}'],
    ['{"text":"[\\"--token\\", \\"abcdef\\"]"}', '{"text":"[\\"--token\\", \\"***\\"]"}'],
    ['args:\n  - --access-token\n  - abcdef\n', 'args:\n  - --access-token\n  - ***\n'],
    ['args: [ghp_0123456789abcdefghij]', 'args: [***]'],
  ])('hides the value in %s', (text, masked) => {
    expect(maskSecrets(text)).toBe(masked)
  })

  it.each([
    '{"max_tokens":4096,"total_tokens":12}',
    'api_key_env: OPENAI_KEY',
    'eos_token: <|endoftext|>',
    'bos_token: begin',
    '{"password":null,"token":"***"}',
    '{"api_keys":["***"]}',
    'uses: sk-learn, with the flag --token and more',
  ])('leaves %s', (text) => {
    expect(maskSecrets(text)).toBe(text)
  })

  it('takes time in line with the length of a text', () => {
    const text = `--token${'\n'.repeat(500_000)} --token${' '.repeat(500_000)} ${'_'.repeat(500_000)}`
    const start = process.cpuUsage()
    expect(maskSecrets(text)).toBe(text)
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1000)
  })
})
