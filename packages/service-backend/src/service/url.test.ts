import { describe, expect, it } from 'vitest'
import { resolveGeneratedUrl } from './generated-content.ts'
import { parseServiceUrl, toRouteUrl } from './url.ts'

describe('the root of an instance', () => {
  it.each([
    ['http://a', 'http://a/'],
    ['https://a:8443/', 'https://a:8443/'],
    ['http://a/svc/', 'http://a/svc/'],
    ['http://a/v10/v1x', 'http://a/v10/v1x/'],
  ])('%s is taken as it is', (given, root) => {
    expect(parseServiceUrl(given)).toEqual({ root: new URL(root), warning: undefined })
  })

  it.each([
    ['http://a/v1', 'http://a/'],
    ['http://a/v1/', 'http://a/'],
    ['http://a/v1/chat/completions', 'http://a/'],
    ['http://a/svc/v1/models?x=1', 'http://a/svc/'],
    ['http://a/v1/x/v1', 'http://a/'],
    ['http://a/?x=1', 'http://a/'],
  ])('%s is cut, with a warning', (given, root) => {
    expect(parseServiceUrl(given)).toEqual({ root: new URL(root), warning: expect.stringContaining('upstream_url') })
  })

  it.each([undefined, '', ' ', 'a', '/v1', 'ftp://a', 'http://u:p@a', 'file:///etc'])('%s is refused', (given) => {
    expect(() => parseServiceUrl(given)).toThrow(expect.objectContaining({ code: 'invalid_proxy_settings' }))
  })

  it('has its routes below it', () => {
    expect(toRouteUrl(parseServiceUrl('http://a/svc/v1').root, '/v1/models').href).toBe('http://a/svc/v1/models')
  })
})

describe('the address of generated content', () => {
  const root = new URL('http://a/svc/')

  it.each([
    ['http://a/svc/generated-images/x.png', 'http://a/svc/generated-images/x.png'],
    ['https://elsewhere:1/generated-images/x.png?y#z', 'http://a/svc/generated-images/x.png'],
    ['/generated-images/x-1_2.png', 'http://a/svc/generated-images/x-1_2.png'],
    ['generated-images/x.png', 'http://a/svc/generated-images/x.png'],
  ])('%s is looked for at the instance', (link, expected) => {
    expect(resolveGeneratedUrl(root, link, ['images'])?.href).toBe(expected)
  })

  it.each([
    '',
    'http://',
    'http://a/etc/passwd',
    'http://a/generated-audio/x.wav',
    'http://a/generated-images/',
    'http://a/generated-images/../api/keys',
    'http://a/generated-images/..%2fapi',
    'http://a/generated-images/x/y.png',
    'http://a/x?generated-images/x.png',
    'http://a/generated-images/..',
    'http://a/generated-images/%2e%2e',
  ])('%s is not followed', (link) => {
    expect(resolveGeneratedUrl(root, link, ['images'])).toBeUndefined()
  })
})
