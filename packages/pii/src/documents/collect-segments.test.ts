import { describe, expect, it } from 'vitest'
import { collect, listIds, listTexts, replaceIn } from './__fixtures__/collected.ts'
import type { DocumentFormat } from './format-shapes.ts'

describe('the texts of a chat request', () => {
  it('messages of every role, parts, names, calls and options are scanned; roles, types, ids and models are not', () => {
    const body = {
      model: 'm',
      temperature: 0.5,
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', name: 'Jo', content: [{ type: 'text', text: 'hello' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":["x",12]}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'plain result' },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            description: 'does it',
            parameters: { type: 'object', properties: { a: { type: 'string', description: 'an a' } } },
          },
        },
      ],
      user: 'u-1',
      metadata: { team: 'blue' },
      stop: ['END'],
      prediction: { type: 'content', content: 'guess' },
    }
    expect(listTexts('chat-completions', body)).toEqual([
      'messages[0].content: be kind',
      'messages[1].name: Jo',
      'messages[1].content[0].text: hello',
      'messages[2].tool_calls[0].function.name: f',
      'messages[2].tool_calls[0].function.arguments.$.{0}#key: a',
      'messages[2].tool_calls[0].function.arguments.$.{0}[0]: x',
      'messages[2].tool_calls[0].function.arguments.$.{0}[1]: 12',
      'messages[3].content: plain result',
      'tools[0].function.name: f',
      'tools[0].function.description: does it',
      'tools[0].function.parameters.properties.{0}#key: a',
      'tools[0].function.parameters.properties.{0}.description: an a',
      'user: u-1',
      'metadata.{0}#key: team',
      'metadata.{0}: blue',
      'stop[0]: END',
      'prediction.content: guess',
    ])
  })
})

describe('ids', () => {
  it('of every format are segments of their own kind', () => {
    const chat = {
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'x' },
        { role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] },
      ],
    }
    expect(listIds('chat-completions', chat)).toEqual([
      'messages[0].tool_calls[0].id: c1',
      'messages[1].tool_call_id: c1',
      'messages[2].content[0].file.file_id: file-1',
    ])
    const messages = {
      container: 'box-1',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' },
            { type: 'document', source: { type: 'file', file_id: 'file-2' } },
          ],
        },
      ],
    }
    expect(listIds('messages', messages)).toEqual([
      'container: box-1',
      'messages[0].content[0].id: toolu_1',
      'messages[0].content[1].tool_use_id: toolu_1',
      'messages[0].content[2].source.file_id: file-2',
    ])
    const responses = {
      previous_response_id: 'resp_1',
      conversation: { id: 'conv_1' },
      prompt: { id: 'pmpt_1' },
      input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }],
    }
    expect(listIds('responses', responses)).toEqual([
      'previous_response_id: resp_1',
      'conversation.id: conv_1',
      'prompt.id: pmpt_1',
      'input[0].call_id: c',
    ])
    expect(listIds('chat-completions', { model: 'm' })).toEqual([])
  })
})

describe('the texts of the other formats', () => {
  it('media: prompts and texts; names of models, options and bytes are not scanned', () => {
    const bytes = 'iVBO'.repeat(32)
    const body = {
      model: 'm',
      model_id: 'm',
      prompt: 'a boat',
      negative_prompt: 'no people',
      input: 'say it',
      instructions: 'slowly',
      lyrics: 'la la',
      size: '512x512',
      response_format: 'wav',
      image: [bytes],
      mask: bytes,
      voice: 'nova',
      speed: 1.5,
    }
    expect(listTexts('media', body)).toEqual([
      'prompt: a boat',
      'negative_prompt: no people',
      'input: say it',
      'instructions: slowly',
      'lyrics: la la',
      'size: 512x512',
    ])
    expect(listIds('media', body)).toEqual(['voice: nova'])
  })

  it('completions, edits and embeddings: prompts and inputs; token ids are noted', () => {
    expect(listTexts('completions', { model: 'm', prompt: ['a', 'b'], suffix: 's', n: 2 })).toEqual([
      'prompt[0]: a',
      'prompt[1]: b',
      'suffix: s',
    ])
    expect(listTexts('edits', { input: 'a', instruction: 'b' })).toEqual(['input: a', 'instruction: b'])
    const { segments, tokenLists } = collect('embeddings', { input: [[1, 2], 'text', [3]] })
    expect(segments.map(({ path }) => path)).toEqual(['input[1]'])
    expect(tokenLists.map(({ path, node }) => `${path} ${node.length}`)).toEqual(['input[0] 2', 'input[2] 1'])
    expect(collect('completions', { prompt: [1, 2, 3] }).tokenLists).toHaveLength(1)
    expect(listTexts('embeddings', { messages: [{ role: 'user', content: 'a' }] })).toEqual(['messages[0].content: a'])
  })

  it('messages: system, text, thinking, tool input and results, documents of text', () => {
    const body = {
      model: 'm',
      max_tokens: 5,
      system: [{ type: 'text', text: 'be kind', cache_control: { type: 'ephemeral', ttl: '5m' } }],
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'c2lnbmF0dXJl' },
            { type: 'redacted_thinking', data: 'iVBO'.repeat(20) },
            { type: 'tool_use', id: 'toolu_1', name: 'f', input: { to: 'Jo', pin: 4421 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'fine' }] },
            { type: 'tool_result', tool_use_id: 'toolu_2', content: 'bare', is_error: true },
            { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'inside' } },
            { type: 'text', text: 'go on' },
          ],
        },
      ],
    }
    expect(listTexts('messages', body)).toEqual([
      'system[0].text: be kind',
      'messages[0].content[0].thinking: hm',
      'messages[0].content[2].name: f',
      'messages[0].content[2].input.{0}#key: to',
      'messages[0].content[2].input.{0}: Jo',
      'messages[0].content[2].input.{1}#key: pin',
      'messages[0].content[2].input.{1}: 4421',
      'messages[1].content[2].source.data: inside',
      'messages[1].content[3].text: go on',
      'messages[1].content[0].content[0].text: fine',
      'messages[1].content[1].content: bare',
      'messages[1].content[2].title: T',
    ])
    expect(collect('messages', body).media).toEqual([])
  })

  it('responses: instructions, items, arguments and output; history is noted and not scanned', () => {
    const body = {
      model: 'm',
      instructions: 'be kind',
      previous_response_id: 'resp_1',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { type: 'item_reference', id: 'msg_1' },
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'sum' }], encrypted_content: 'gAAA' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"k":"v"}' },
        { type: 'function_call_output', call_id: 'c', output: '"quoted"' },
        { type: 'function_call_output', call_id: 'c', output: { email: 'a@b.c', n: 7 } },
        { type: 'custom_tool_call', call_id: 'c', name: 'g', input: 'raw input' },
        { type: 'new_kind', payload: { deep: ['x'] } },
      ],
    }
    expect(listTexts('responses', body)).toEqual([
      'instructions: be kind',
      'input[0].content[0].text: hello',
      'input[2].summary[0].text: sum',
      'input[3].name: f',
      'input[3].arguments.$.{0}#key: k',
      'input[3].arguments.$.{0}: v',
      'input[4].output.$: quoted',
      'input[5].output.{0}#key: email',
      'input[5].output.{0}: a@b.c',
      'input[5].output.{1}#key: n',
      'input[5].output.{1}: 7',
      'input[6].name: g',
      'input[6].input: raw input',
      'input[7].{1}#key: payload',
      'input[7].{1}.{0}#key: deep',
      'input[7].{1}.{0}[0]: x',
    ])
    expect(collect('responses', body).history).toEqual([
      { kind: 'previous_response_id', path: 'previous_response_id' },
      { kind: 'item_reference', path: 'input[1]' },
    ])
    expect(listTexts('responses', { input: 'hi' })).toEqual(['input: hi'])
  })

  it('the alternate ecosystem: messages, prompts, systems, suffixes and templates', () => {
    const call = { function: { name: 'f', arguments: { to: 'Jo' } } }
    expect(
      listTexts('ollama-chat', {
        model: 'm',
        messages: [{ role: 'user', content: 'a', thinking: 't', tool_calls: [call] }],
      }),
    ).toEqual([
      'messages[0].content: a',
      'messages[0].thinking: t',
      'messages[0].tool_calls[0].function.name: f',
      'messages[0].tool_calls[0].function.arguments.{0}#key: to',
      'messages[0].tool_calls[0].function.arguments.{0}: Jo',
    ])
    const generate = {
      prompt: 'p',
      system: 's',
      suffix: 'x',
      template: '{{ .Prompt }}',
      context: [1, 2],
      keep_alive: '5m',
    }
    expect(listTexts('ollama-generate', generate)).toEqual([
      'prompt: p',
      'system: s',
      'suffix: x',
      'template: {{ .Prompt }}',
    ])
    expect(collect('ollama-generate', generate).history).toEqual([{ kind: 'context', path: 'context' }])
    expect(listTexts('ollama-embed', { input: ['a'], prompt: 'b' })).toEqual(['input[0]: a', 'prompt: b'])
  })
})

describe('unknown fields', () => {
  it('unknown fields, keys and duplicates are scanned', () => {
    const body =
      '{"messages":[{"role":"user","content":"one","content":"two","x_note":{"a key":"three"}}],"extra":{"deep":["four"]}}'
    expect(listTexts('chat-completions', body)).toEqual([
      'messages[0].content: one',
      'messages[0].content: two',
      'messages[0].{3}#key: x_note',
      'messages[0].{3}.{0}#key: a key',
      'messages[0].{3}.{0}: three',
      '.{1}#key: extra',
      '.{1}.{0}#key: deep',
      '.{1}.{0}[0]: four',
    ])
  })

  it('a role, type or id that is not a word, or holds more than a string, is scanned', () => {
    expect(listTexts('chat-completions', { messages: [{ role: 'Jo Doe', tool_call_id: { a: 'b' } }] })).toEqual([
      'messages[0].role: Jo Doe',
      'messages[0].tool_call_id.{0}#key: a',
      'messages[0].tool_call_id.{0}: b',
    ])
  })

  it.each([
    '{"Messages":[]}',
    '{"messages":[{"role":"user","CONTENT":"a"}]}',
    '{"me\\u017f\\u017fages":[]}',
    '{"messages":[{"content":[{"type":"text","Text":"a"}]}]}',
  ])('a key that equals one that is scanned but for case is refused: %s', (body) => {
    expect(collect('chat-completions', body).refusal?.kind).toBe('case-twin')
  })

  it.each<[DocumentFormat, object, string]>([
    ['chat-completions', { messages: [{ role: 99, content: 'a' }] }, 'messages[0].role'],
    ['chat-completions', { messages: [{ content: [{ type: 99 }] }] }, 'messages[0].content[0].type'],
    ['chat-completions', { messages: [{ tool_calls: [{ index: [99] }] }] }, 'messages[0].tool_calls[0].index[0]'],
    ['chat-completions', { messages: [{ content: [{ image_url: 99 }] }] }, 'messages[0].content[0].image_url'],
    [
      'chat-completions',
      { messages: [{ content: [{ file: { file_data: 99 } }] }] },
      'messages[0].content[0].file.file_data',
    ],
    ['chat-completions', { messages: [], user: 99 }, 'user'],
    ['messages', { messages: [{ content: [{ signature: 99 }] }] }, 'messages[0].content[0].signature'],
    ['messages', { messages: [{ content: [{ is_error: [99] }] }] }, 'messages[0].content[0].is_error[0]'],
    [
      'messages',
      { messages: [{ content: [{ source: { media_type: 'text/plain', data: 99 } }] }] },
      'messages[0].content[0].source.data',
    ],
    ['ollama-chat', { messages: [{ content: 'a', images: [99] }] }, 'messages[0].images[0]'],
    ['completions', { prompt: 99 }, 'prompt'],
    ['embeddings', { input: 99 }, 'input'],
  ])('a number where a format has none is scanned: %s %j', (format, body, path) => {
    expect(listTexts(format, body)).toContain(`${path}: 99`)
    expect(collect(format, body).tokenLists).toEqual([])
    expect(replaceIn(format, JSON.stringify(body), '99')).toBe(JSON.stringify(body).replace('99', '"[X]"'))
  })

  it('places of parts and ids of tokens stay numbers', () => {
    expect(listTexts('chat-completions', { messages: [{ tool_calls: [{ index: 99 }] }] })).toEqual([])
    expect(listTexts('completions', { prompt: [99] })).toEqual([])
  })

  it('opaque data of a provider is not text', () => {
    for (const name of ['signature', 'encrypted_content']) {
      const parts = (value: string) => ({ messages: [{ content: [{ type: 'text', text: 'a', [name]: value }] }] })
      for (const value of ['iVBO', 'QUJ_-w==', '']) expect(listTexts('messages', parts(value))).toHaveLength(1)
      for (const value of ['Jo Doe', 'jo@host.example', '555-1, 555-2'])
        expect(listTexts('messages', parts(value))).toContain(`messages[0].content[0].${name}: ${value}`)
    }
  })

  it('keys of the caller are his own', () => {
    expect(collect('chat-completions', { metadata: { Messages: 'a', CONTENT: 'b' } }).refusal).toBeUndefined()
  })

  it("schemas are the caller's too", () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', Type: 'x', Default: 1 } } }]
    expect(collect('chat-completions', { tools }).refusal).toBeUndefined()
  })

  it('a path shows its innermost steps', () => {
    const content = `${'['.repeat(500)}"deep"${']'.repeat(500)}`
    const [segment] = collect('chat-completions', { messages: [{ role: 'tool', content }] }).segments
    expect(segment?.text).toBe('deep')
    expect(segment?.path).toBe(`\u2026${'[0]'.repeat(32)}`)
  })

  it('JSON inside a string that nests deeper than is taken apart is refused', () => {
    const output = `${'['.repeat(1_001)}"\\u0061"${']'.repeat(1_001)}`
    const body = { messages: [{ role: 'tool', content: output }] }
    expect(collect('chat-completions', body).refusal).toEqual({ kind: 'embedded-limit', path: 'messages[0].content' })
  })
})

describe('media', () => {
  it.each([
    [
      'chat-completions',
      { messages: [{ content: [{ type: 'image_url', image_url: { url: 'https://h/i.png' } }] }] },
      'image',
    ],
    [
      'chat-completions',
      { messages: [{ content: [{ type: 'input_audio', input_audio: { data: 'AAAA' } }] }] },
      'audio',
    ],
    ['chat-completions', { messages: [{ content: [{ type: 'file', file: { file_id: 'f' } }] }] }, 'file'],
    ['chat-completions', { messages: [{ content: [{ type: 'unknown', video_url: { url: 'x' } }] }] }, 'video'],
    ['messages', { messages: [{ content: [{ type: 'document', source: { type: 'url', url: 'x' } }] }] }, 'file'],
    ['messages', { messages: [{ content: [{ type: 'tool_result', content: [{ type: 'image' }] }] }] }, 'image'],
    ['responses', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'image'],
    ['responses', { input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot' } }] }, 'image'],
    ['responses', { input: [{ type: 'image_generation_call', result: 'iVBO'.repeat(20) }] }, 'image'],
    ['responses', { input: [{ type: 'code_interpreter_call', outputs: [{ type: 'image', url: 'x' }] }] }, 'image'],
    [
      'messages',
      {
        messages: [
          {
            content: [{ content: { type: 'web_fetch_result', content: { type: 'document', source: { data: 'x' } } } }],
          },
        ],
      },
      'file',
    ],
    ...['code_execution', 'bash_code_execution'].map(
      (tool) =>
        [
          'messages',
          {
            messages: [
              {
                content: [{ content: { type: `${tool}_result`, content: [{ type: `${tool}_output`, file_id: 'f' }] } }],
              },
            ],
          },
          'file',
        ] as const,
    ),
    ['ollama-chat', { messages: [{ content: 'a', images: ['AAAA'] }] }, 'image'],
    ['ollama-generate', { prompt: 'a', images: ['AAAA'] }, 'image'],
  ] as const)('of %s %j', (format, body, kind) => {
    expect(collect(format, body).media[0]?.kind).toBe(kind)
  })

  it('bytes in a part of an unknown type are a file', () => {
    const bytes = 'iVBO'.repeat(20)
    const parts = [
      { type: 'hologram', data: bytes },
      { type: 'hologram', payload: bytes },
      { type: 'hologram', payload: { deep: [bytes] } },
      { type: 'model', payload: `data:model/gltf-binary;base64,${bytes}` },
      { type: 'text', text: 'a', payload: bytes },
    ]
    for (const part of parts) {
      const expected = [expect.objectContaining({ kind: 'file' })]
      expect(collect('chat-completions', { messages: [{ content: [part] }] }).media).toEqual(expected)
      expect(
        collect('messages', { messages: [{ content: [{ type: 'tool_result', content: [part, { type: 'text' }] }] }] })
          .media,
      ).toEqual(expected)
      expect(collect('responses', { input: [part] }).media).toEqual(expected)
    }
    const sealed = { type: 'redacted_thinking', data: bytes }
    const words = { type: 'hologram', data: 'words', payload: 'a'.repeat(40) }
    expect(collect('messages', { messages: [{ content: [sealed, words] }] }).media).toEqual([])
  })

  it('output of code is scanned like that of any tool', () => {
    const result = {
      type: 'code_execution_result',
      stdout: '{"to":"Jo"}',
      stderr: 'for Jo',
      return_code: 0,
      content: [],
    }
    expect(listTexts('messages', { messages: [{ content: [{ content: result }] }] })).toEqual([
      'messages[0].content[0].content.stdout.$.{0}#key: to',
      'messages[0].content[0].content.stdout.$.{0}: Jo',
      'messages[0].content[0].content.stderr: for Jo',
      'messages[0].content[0].content.{3}#key: return_code',
      'messages[0].content[0].content.{3}: 0',
    ])
    const outputs = [{ type: 'logs', logs: 'for Jo' }]
    expect(listTexts('responses', { input: [{ type: 'code_interpreter_call', code: 'tell(Jo)', outputs }] })).toEqual([
      'input[0].{1}#key: code',
      'input[0].{1}: tell(Jo)',
      'input[0].outputs[0].{1}#key: logs',
      'input[0].outputs[0].{1}: for Jo',
    ])
  })

  it('an empty list of images is not media', () => {
    expect(collect('ollama-chat', { messages: [{ content: 'a', images: [] }] }).media).toEqual([])
  })

  it('bytes are left alone, addresses are scanned, text in a data address is decoded and written back', () => {
    const bytes = 'iVBO'.repeat(50)
    const parts = (url: string) => ({ messages: [{ content: [{ type: 'image_url', image_url: { url } }] }] })
    expect(listTexts('chat-completions', parts(`data:image/png;base64,${bytes}`))).toEqual([])
    expect(listTexts('chat-completions', parts('https://h/?key=sk-1'))).toHaveLength(1)
    const hidden = JSON.stringify(parts(`data:text/plain;base64,${btoa('my sk-1 key')}`))
    expect(replaceIn('chat-completions', hidden, 'sk-1')).toContain(`data:text/plain;base64,${btoa('my [X] key')}`)
    const plain = JSON.stringify(parts('data:text/plain,my%20sk-1'))
    expect(replaceIn('chat-completions', plain, 'sk-1')).toContain('data:text/plain,my%20%5BX%5D')
    const broken = `data:text/plain;base64,${btoa('\xff my sk-1')}`
    expect(listTexts('chat-completions', parts(broken))).toEqual([
      `messages[0].content[0].image_url.url: \ufffd my sk-1\n\n${btoa('\xff my sk-1')}`,
    ])
    expect(replaceIn('chat-completions', JSON.stringify(parts(broken)), 'sk-1')).toContain(btoa('\xef\xbf\xbd my [X]'))
    const otherAlphabet = JSON.stringify(parts(`data:text/plain;base64,${btoa('sk-1 ???>>>').replaceAll('/', '_')}`))
    expect(replaceIn('chat-completions', otherAlphabet, 'sk-1')).toContain(`base64,${btoa('[X] ???>>>')}`)
  })

  it("the extra parameters of a data address's header are scanned too", () => {
    const parts = (url: string) =>
      JSON.stringify({ messages: [{ content: [{ type: 'image_url', image_url: { url } }] }] })
    const replaced = (url: string) => replaceIn('chat-completions', parts(url), 'sk-1')
    expect(replaced(`data:image/png;name=sk-1;base64,${'iVBO'.repeat(50)}`)).toContain(
      'data:image/png;name=[X];base64,',
    )
    expect(replaced('data:text/plain;name=a,my%20sk-1')).toContain('"data:text/plain;name=a,my%20%5BX%5D"')
    expect(replaced(`data:text/plain;name=a;base64,${btoa('my sk-1')}`)).toContain(btoa('my [X]'))
    expect(replaced('data:text/plain;name=sk-1,hi')).toContain(
      `"data:text/plain,${encodeURIComponent('data:text/plain;name=[X],hi')}"`,
    )
  })
})

describe('text documents in other charsets (PII-11)', () => {
  const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('base64')
  const readData = (body: string): string => JSON.parse(body).messages[0].content[0].image_url.url
  const replaced = (url: string): string => {
    const body = JSON.stringify({ messages: [{ content: [{ type: 'image_url', image_url: { url } }] }] })
    return readData(replaceIn('chat-completions', body, 'sk-1'))
  }

  it('are scanned, and written anew for the same reader', () => {
    for (const header of [
      'data:text/plain;charset=utf-16le;base64,',
      'data:text/csv;charset=UTF-16;base64,',
      'data:text/plain;base64,',
      ' DATA:text/plain; charset="utf-16le"; base64 ,',
      `data:text/plain;name=${'n'.repeat(300)};charset=utf-16le;base64,`,
    ]) {
      expect(replaced(header + utf16('é my sk-1 🔑'))).toBe(header + utf16('é my [X] 🔑'))
    }
    const be = Buffer.from('\ufeffmy sk-1', 'utf16le').swap16().toString('base64')
    const masked = Buffer.from('\ufeffmy [X]', 'utf16le').swap16().toString('base64')
    expect(replaced(`data:text/plain;base64,${be}`)).toBe(`data:text/plain;base64,${masked}`)
  })

  it('are scanned behind percent signs too', () => {
    expect(replaced('data:text/plain;charset=utf-16le,m%00y%00%20%00s%00k%00-%001%00')).toBe(
      'data:text/plain;charset=utf-16le,m%00y%00%20%00%5B%00X%00%5D%00',
    )
    expect(replaced('data:text/plain,%E9%zz%20s%6B-1')).toBe('data:text/plain,%EF%BF%BD%25zz%20%5BX%5D')
    const escaped = btoa('my sk-1 key').replaceAll('=', '%3D').replace('b', '%62')
    expect(escaped).toContain('%62')
    expect(replaced(`data:text/plain;base64,${escaped}`)).toBe(`data:text/plain;base64,${btoa('my [X] key')}`)
  })

  it('are read by the media type of their source', () => {
    const toBody = (data: string, type: string) =>
      JSON.stringify({
        messages: [{ content: [{ type: 'document', source: { type: 'base64', media_type: type, data } }] }],
      })
    for (const type of ['text/plain; charset=utf-16le', 'Text/Plain', 'application/json;charset=utf-16']) {
      expect(replaceIn('messages', toBody(utf16('é my sk-1'), type), 'sk-1')).toBe(toBody(utf16('é my [X]'), type))
    }
    const plain = utf16('日本語')
    expect(listTexts('messages', JSON.parse(toBody(plain, 'text/plain; charset=utf-16le')))).toContain(
      'messages[0].content[0].source.data: 日本語',
    )
  })

  it('of unknown charsets are unscannable files, whose ASCII is scanned', () => {
    const url = `data:text/plain;charset=shift_jis;base64,${Buffer.from([0x93, 0xfa, ...Buffer.from(' sk-1')]).toString('base64')}`
    const body = { messages: [{ content: [{ type: 'new_kind', data: url }] }] }
    expect(collect('chat-completions', body).media).toEqual([{ kind: 'file', path: 'messages[0].content[0].data' }])
    const known = { messages: [{ content: [{ type: 'new_kind', data: url.replace('shift_jis', 'utf-8') }] }] }
    expect(collect('chat-completions', known).media).toEqual([])
    const masked = replaceIn('chat-completions', JSON.stringify(body), 'sk-1')
    expect(Buffer.from(JSON.parse(masked).messages[0].content[0].data.split(',')[1], 'base64')).toEqual(
      Buffer.from([0x93, 0xfa, ...Buffer.from(' [X]')]),
    )
    const several = url.replace('charset=shift_jis', 'charset=utf-8;charset=utf-16')
    expect(collect('chat-completions', { messages: [{ content: [{ data: several }] }] }).media).toHaveLength(1)
  })
})

describe('the way back', () => {
  it('nothing outside of an edited string changes', () => {
    expect(
      replaceIn(
        'chat-completions',
        '{ "n":1.50,"messages" : [ {"content":"a\\u0020sk"}, {"content":"\\u0061"}]}',
        'sk',
      ),
    ).toBe('{ "n":1.50,"messages" : [ {"content":"a [X]"}, {"content":"\\u0061"}]}')
  })

  it('strings, keys and numbers inside JSON text are edited together', () => {
    const inner = '{ "sk key": "sk", "n" : 99, "deep":"{\\"x\\":\\"sk\\"}" }'
    const body = JSON.stringify({ messages: [{ tool_calls: [{ function: { arguments: inner } }] }] })
    const expected = inner.replaceAll('sk', '[X]')
    expect(replaceIn('chat-completions', body, 'sk')).toBe(
      body.replace(JSON.stringify(inner), JSON.stringify(expected)),
    )
    expect(replaceIn('chat-completions', body, '99')).toBe(
      body.replace(JSON.stringify(inner), JSON.stringify(inner.replace('99', '"[X]"'))),
    )
  })

  it('one edit of the body for one string of it', () => {
    const body = JSON.stringify({ input: [{ type: 'function_call', arguments: '{"a":"x","b":"x"}' }] })
    const { segments, toSplices } = collect('responses', body)
    const rewritten = toSplices(new Map(segments.filter(({ text }) => text === 'x').map((hit) => [hit, 'y'])))
    expect(rewritten).toMatchObject({ kind: 'splices', splices: [{ start: body.indexOf('"{') }] })
  })

  it('tool output that is not a string becomes a string with its masked encoding, and only when masked', () => {
    const body = '{"input":[{"type":"function_call_output","output":{"email": "sk","lone":"\\ud800"}}]}'
    expect(replaceIn('responses', body, 'sk')).toBe(
      `{"input":[{"type":"function_call_output","output":${JSON.stringify('{"email": "[X]","lone":"\ufffd"}')}}]}`,
    )
    expect(replaceIn('responses', body, 'nowhere')).toBe(body.replace('\\ud800', '\ufffd'))
  })

  it('parts in tool output stay parts', () => {
    const body = '{"messages":[{"role":"tool","content":[{"type":"text","text":"sk"}]}]}'
    expect(replaceIn('chat-completions', body, 'sk')).toBe(body.replace('sk', '[X]'))
  })

  it('a key that would equal another is a collision', () => {
    const arguments_ = JSON.stringify({ 'a sk': 1, 'a [X]': 2 })
    const body = JSON.stringify({ messages: [{ function_call: { arguments: arguments_ } }] })
    expect(() => replaceIn('chat-completions', body, 'sk')).toThrow('collision')
    const twice = JSON.stringify({ metadata: { sk1: 1, sk2: 2 } })
    const { segments, toSplices } = collect('chat-completions', twice)
    const keys = segments.filter(({ role }) => role === 'key')
    expect(toSplices(new Map(keys.slice(1).map((key) => [key, 'same']))).kind).toBe('splices')
    expect(toSplices(new Map(keys.map((key) => [key, 'same']))).kind).toBe('key-collision')
  })

  it('halves of surrogate pairs are repaired without a hit and scanned so', () => {
    const { segments, toSplices } = collect('chat-completions', '{"messages":[{"content":"a\\ud83d"}],"x\\udc00":1}')
    expect(segments.map(({ text }) => text)).toEqual(['a\ufffd', 'x\ufffd'])
    expect(toSplices(new Map())).toMatchObject({ kind: 'splices', splices: [{}, {}] })
  })
})

it('parts of one message are a run, despite other content', () => {
  const { segments, messages } = collect('chat-completions', {
    messages: [
      { role: 'user', content: 'alone' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one', cache_control: { note: 'other' } },
          { type: 'image_url', image_url: { url: 'https://h' } },
          { type: 'text', text: 'two' },
        ],
      },
    ],
  })
  expect(messages).toEqual([{ start: 1, end: 3 }])
  expect(segments.slice(1, 3).map(({ text }) => text)).toEqual(['one', 'two'])
})

describe('credentials of servers that a request names', () => {
  const secret = { authorization: 'key-1', headers: { 'X-Own': 'key-2', nested: ['a'] } }
  it('are not scanned, unlike everything beside them', () => {
    const server = { type: 'mcp', server_label: 'files', server_url: 'https://x.example', ...secret }
    expect(listTexts('responses', { tools: [server] })).toEqual([
      'tools[0].{1}#key: server_label',
      'tools[0].{1}: files',
      'tools[0].{2}#key: server_url',
      'tools[0].{2}: https://x.example',
      'tools[0].headers.{0}#key: X-Own',
      'tools[0].headers.{1}#key: nested',
      'tools[0].headers.{1}[0]: a',
    ])
    const named = { type: 'url', url: 'https://x.example', name: 'files', authorization_token: 'key-3' }
    expect(listTexts('messages', { mcp_servers: [named] })).toEqual([
      'mcp_servers[0].{1}#key: url',
      'mcp_servers[0].{1}: https://x.example',
      'mcp_servers[0].name: files',
    ])
  })

  it.each<[DocumentFormat, string]>([
    ['responses', '{"tools":[{"type":"function","name":"f","authorization":"key-1"}]}'],
    ['responses', '{"tools":[{"type":"mcp","type":"function","authorization":"key-1"}]}'],
    ['responses', '{"tools":[{"type":"mcp","authorization":{"a":"key-1"}}]}'],
    ['responses', '{"input":[{"type":"mcp","authorization":"key-1"}]}'],
    ['messages', '{"tools":[{"name":"f","authorization_token":"key-1"}]}'],
    ['chat-completions', '{"tools":[{"type":"mcp","authorization":"key-1"}]}'],
  ])('are scanned elsewhere: %s %s', (format, body) => {
    expect(replaceIn(format, body, 'key-1')).toBe(body.replace('key-1', '[X]'))
  })
})
