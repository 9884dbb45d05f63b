import { describe, expect, it } from 'vitest'
import { parseDataUrl, toEssence } from './data-url.ts'

describe('a data URL', () => {
  it.each([
    ['data:image/png;base64,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
    ['DATA:Image/PNG;Base64,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
    ['data:audio/ogg;codecs=opus;base64,AA==', { mediaType: 'audio/ogg', base64: 'AA==' }],
    ['data:image/png; base64 ,AAAA', { mediaType: 'image/png', base64: 'AAAA' }],
    ['data:;base64,AAAA', { mediaType: undefined, base64: 'AAAA' }],
    ['data:png;base64,AAAA', { mediaType: undefined, base64: 'AAAA' }],
    ['data:image/png;base64,a,b', { mediaType: 'image/png', base64: 'a,b' }],
  ])('is taken apart: %s', (url, parts) => {
    expect(parseDataUrl(url)).toEqual(parts)
  })

  it.each([
    'data:image/png,AAAA',
    'data:,text',
    'image/png;base64,AAAA',
    ' data:image/png;base64,AAAA',
    `data:${'x'.repeat(600)};base64,AAAA`,
    'https://a.example/data:image/png;base64,AAAA',
    '',
  ])('is not %s', (url) => {
    expect(parseDataUrl(url)).toBeUndefined()
  })
})

describe('a media type', () => {
  it('is compared without parameters and case', () => {
    expect(toEssence('Image/JPEG; q=1')).toBe('image/jpeg')
    for (const none of [undefined, '', 'jpeg', 'a/b/c d', '/', 'image/']) expect(toEssence(none)).toBeUndefined()
  })
})
