import { describe, expect, it } from 'vitest'
import { listTexts, replaceIn } from './__fixtures__/collected.ts'

describe('text documents in base64', () => {
  const bodyOf = (source: string) => `{"messages":[{"content":[{"type":"document","source":${source}}]}]}`
  const sourceOf = (data: string) => bodyOf(`{"type":"base64","media_type":"text/plain","data":"${data}"}`)

  it.each(['SK1KEY77', 'my key is SK1KEY and so on77', 'my\\tSK1KEY77', `SK1KEY${' a b c'.repeat(20)}`])(
    'that were never encoded are read as they stand: %s',
    (data) => {
      expect(replaceIn('messages', sourceOf(data), 'SK1KEY')).toBe(sourceOf(data.replace('SK1KEY', '[X]')))
    },
  )

  it('that some readers would not take are read both ways', () => {
    const encoded = btoa('my sk-1 key is this')
    for (const data of [`${encoded}*`, `!${encoded}`, `${btoa('so: ')}${encoded}A`, `${btoa('yes!')}==${encoded}`]) {
      const masked = JSON.parse(replaceIn('messages', sourceOf(data), 'sk-1')).messages[0].content[0].source.data
      expect(atob(masked)).toMatch(/my \[X\] key is this$/)
    }
    const twice = `${btoa('it is sk-1 here')}, sk-1`
    expect(replaceIn('messages', sourceOf(twice), 'sk-1')).toBe(sourceOf('[REDACTED]'))
    expect(listTexts('messages', sourceOf('Hello, this is nobody.'))).toEqual([
      'messages[0].content[0].source.data: Hello, this is nobody.',
    ])
  })

  it('are read even where one of two types says that they are none', () => {
    const data = `"data":"${btoa('my sk-1 key')}"`
    for (const types of [
      '"type":"text",MORE,"type":"base64"',
      '"type":"base64",MORE,"type":"text"',
      '"type":"text",MORE,"type":5',
    ]) {
      const source = `{${types.replace('MORE', `"media_type":"text/plain",${data}`)}}`
      expect(replaceIn('messages', bodyOf(source), 'sk-1')).toBe(
        bodyOf(source).replace(data, `"data":"${btoa('my [X] key')}"`),
      )
    }
    const plain = `{"type":"text","media_type":"text/plain","data":"QUJD","type":"text"}`
    expect(listTexts('messages', bodyOf(plain))).toEqual(['messages[0].content[0].source.data: QUJD'])
  })

  it.each([
    ...['yaml', 'x-yaml', 'vnd.oai.openapi+yaml', 'x-ndjson', 'jsonl', 'javascript', 'x-javascript', 'typescript'],
    ...['toml', 'sql', 'graphql', 'csv', 'x-sh', 'x-httpd-php', 'x-python', 'x-tex'],
  ])('are read in data addresses of application/%s too', (type) => {
    const bodyOfUrl = (text: string) => {
      const url = `data:application/${type};base64,${btoa(text)}`
      return JSON.stringify({ messages: [{ content: [{ type: 'file', file: { file_data: url } }] }] })
    }
    expect(replaceIn('chat-completions', bodyOfUrl('my sk-1'), 'sk-1')).toBe(bodyOfUrl('my [X]'))
  })

  it('are read wherever a data address says that it is base64', () => {
    const bodyOfUrl = (url: string) => JSON.stringify({ messages: [{ content: [{ image_url: { url } }] }] })
    for (const header of ['data:text/plain;base64;charset=utf-8,', 'data:;base64;name=a,']) {
      const masked = replaceIn('chat-completions', bodyOfUrl(header + btoa('my sk-1')), 'sk-1')
      expect(masked).toBe(bodyOfUrl(header + btoa('my [X]')))
    }
    for (const header of ['data:text/plain;base64;charset=utf-8,', 'data:text/plain;base64,']) {
      const masked = replaceIn('chat-completions', bodyOfUrl(`${header}I%20am, sk%2D1 %26 so on.`), 'sk-1')
      expect(masked).toBe(bodyOfUrl(`${header}I%20am%2C%20%5BX%5D%20%26%20so%20on.`))
    }
  })

  it('are read in data addresses of mail, and not in those of pictures and files', () => {
    const textsOf = (type: string) =>
      listTexts('chat-completions', {
        messages: [{ content: [{ type: 'file', file: { file_data: `data:${type};base64,${btoa('to: jo')}` } }] }],
      })
    expect(textsOf('message/rfc822')).toEqual(['messages[0].content[0].file.file_data: to: jo'])
    for (const type of ['application/pdf', 'application/sqlite3', 'image/svg+xml']) expect(textsOf(type)).toEqual([])
  })
})
