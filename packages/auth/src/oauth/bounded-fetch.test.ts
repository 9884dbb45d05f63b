import { describe, expect, it } from 'vitest'
import { isSafeUrl } from './bounded-fetch.ts'

describe('an address that secrets may go to', () => {
  it.each([
    'https://issuer.example',
    'https://127.evil.test',
    'http://localhost:9000/realms/a',
    'http://LOCALHOST.',
    'http://idp.localhost:9000',
    'http://127.0.0.1',
    'http://127.1',
    'http://2130706433:80',
    'http://0177.0.0.1',
    'http://[::1]:9000',
  ])('is %s', (url) => {
    expect(isSafeUrl(url)).toBe(true)
  })

  it.each([
    'http://issuer.example',
    'http://127.evil.test',
    'http://127.0.0.1.evil.test',
    'http://127.0.0.1.nip.io',
    'http://localhost.evil.test',
    'http://notlocalhost',
    'http://l\u043ecalhost',
    'http://localhost..',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
    'http://localhost@evil.test',
    'ftp://localhost',
    'localhost',
    '',
  ])('is not %s', (url) => {
    expect(isSafeUrl(url)).toBe(false)
  })
})
