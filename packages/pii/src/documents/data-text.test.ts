import { describe, expect, it } from 'vitest'
import { listTexts, replaceIn } from './__fixtures__/collected.ts'

describe('text documents in base64', () => {
  const toBody = (source: string) => `{"messages":[{"content":[{"type":"document","source":${source}}]}]}`
  const toSource = (data: string) => toBody(`{"type":"base64","media_type":"text/plain","data":"${data}"}`)

  it.each(['SK1KEY77', 'my key is SK1KEY and so on77', 'my\\tSK1KEY77', `SK1KEY${' a b c'.repeat(20)}`])(
    'that were never encoded are read as they stand: %s',
    (data) => {
      expect(replaceIn('messages', toSource(data), 'SK1KEY')).toBe(toSource(data.replace('SK1KEY', '[X]')))
    },
  )

  it('that some readers would not take are read both ways', () => {
    const encoded = btoa('my sk-1 key is this')
    for (const data of [`${encoded}*`, `!${encoded}`, `${btoa('so: ')}${encoded}A`, `${btoa('yes!')}==${encoded}`]) {
      const masked = JSON.parse(replaceIn('messages', toSource(data), 'sk-1')).messages[0].content[0].source.data
      expect(atob(masked)).toMatch(/my \[X\] key is this$/)
    }
    const twice = `${btoa('it is sk-1 here')}, sk-1`
    expect(replaceIn('messages', toSource(twice), 'sk-1')).toBe(toSource('[REDACTED]'))
    expect(listTexts('messages', toSource('Hello, this is nobody.'))).toEqual([
      'messages[0].content[0].source.data: Hello, this is nobody.',
    ])
  })

  it('are read even when one of two types says that they are none', () => {
    const data = `"data":"${btoa('my sk-1 key')}"`
    for (const types of [
      '"type":"text",MORE,"type":"base64"',
      '"type":"base64",MORE,"type":"text"',
      '"type":"text",MORE,"type":5',
    ]) {
      const source = `{${types.replace('MORE', `"media_type":"text/plain",${data}`)}}`
      expect(replaceIn('messages', toBody(source), 'sk-1')).toBe(
        toBody(source).replace(data, `"data":"${btoa('my [X] key')}"`),
      )
    }
    const plain = `{"type":"text","media_type":"text/plain","data":"iVBO","type":"text"}`
    expect(listTexts('messages', toBody(plain))).toEqual(['messages[0].content[0].source.data: iVBO'])
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

  it('are read in data addresses of any type', () => {
    const readTexts = (type: string) =>
      listTexts('chat-completions', {
        messages: [{ content: [{ type: 'file', file: { file_data: `data:${type};base64,${btoa('to: jo')}` } }] }],
      })
    for (const type of ['message/rfc822', 'application/octet-stream', 'image/svg+xml', 'application/pdf', '']) {
      expect(readTexts(type), type).toEqual(['messages[0].content[0].file.file_data: to: jo'])
    }
  })

  it('are read without a type, and masked in them', () => {
    const long = `to: jo, the key is sk-1${' and so on'.repeat(200)}`
    for (const [text, width] of [
      ['to: jo, sk-1', 76],
      [long, 76],
      [`é${long}`, 10_000],
    ] as const) {
      const data = (
        Buffer.from(text)
          .toString('base64')
          .match(new RegExp(`.{1,${width}}`, 'g')) ?? []
      ).join('\r\n')
      for (const [format, body] of [
        ['messages', { messages: [{ content: [{ type: 'document', source: { type: 'base64', data } }] }] }],
        ['chat-completions', { messages: [{ content: [{ type: 'hologram', data }] }] }],
        ['responses', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: data }] }] }],
      ] as const) {
        expect(listTexts(format, body).join()).toContain('to: jo')
        const masked = replaceIn(format, JSON.stringify(body), 'sk-1')
        expect(masked).toContain(Buffer.from(text.replace('sk-1', '[X]')).toString('base64'))
      }
    }
  })

  it('are no bytes that hold anything else', () => {
    const pdf = Buffer.concat([Buffer.from(`%PDF-1.7 ${' '.repeat(2000)}`), Buffer.from([0, 1, 2, 0xff])]).toString(
      'base64',
    )
    for (const data of [pdf, `data:application/pdf;base64,${pdf}`]) {
      const part = { type: 'input_file', file_data: data }
      expect(listTexts('responses', { input: [{ role: 'user', content: [part] }] })).toEqual([])
    }
  })
})
