// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { toGeneratedUrl, toMadeUrl } from './generated-files.ts'

const OWN = new URL('.', document.baseURI).href

it('knows the files of this server in a text, and no other address', () => {
  expect(toGeneratedUrl(`${OWN}generated-images/5f.png`)).toBe(`${OWN}generated-images/5f.png`)
  expect(toGeneratedUrl('/generated-images/5f.png')).toBe(`${OWN}generated-images/5f.png`)
  for (const address of [
    '',
    'https://evil.example/generated-images/5f.png',
    '//evil.example/generated-images/5f.png',
    '/api/auth/logout?x=/generated-images/5f.png',
    '/generated-images/../api/traces',
    '/generated-images/%2e%2e%2fapi',
    'javascript:/generated-images/5f.png',
    '/generated-images/',
  ])
    expect(toGeneratedUrl(address), address).toBeUndefined()
})

it('takes the file of a reply from this server, whatever host the reply names', () => {
  expect(toMadeUrl({ url: 'http://inner:8080/llm/generated-videos/a.mp4' }, 'video/mp4')).toBe(
    `${OWN}generated-videos/a.mp4`,
  )
  expect(toMadeUrl({ url: 'http://inner:8080/elsewhere/a.mp4' }, 'video/mp4')).toBeUndefined()
  expect(toMadeUrl({ b64_json: 'AA==' }, 'image/png')).toBe('data:image/png;base64,AA==')
})
