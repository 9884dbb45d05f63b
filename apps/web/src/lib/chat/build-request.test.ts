import { expect, test } from 'vitest'
import { buildBackgroundBody, buildChatBody, toSentText } from './build-request.ts'
import { createTestMessage } from './test-message.ts'
import { type Attachment, DEFAULT_SETTINGS } from './types.ts'

const picture: Attachment = {
  id: '1',
  kind: 'image',
  name: 'a.png',
  type: 'image/png',
  bytes: 3,
  data: 'data:image/png;base64,AAAA',
}
const sound: Attachment = {
  id: '2',
  kind: 'audio',
  name: 'a.mp3',
  type: 'audio/mpeg',
  bytes: 3,
  data: 'data:audio/mpeg;base64,BBBB',
}
const notes: Attachment = { id: '3', kind: 'text', name: 'a.md', type: 'text/markdown', bytes: 9, data: '```\nx\n```' }
const question = createTestMessage({ text: 'look', attachments: [picture, sound, notes] })

test('sends the whole conversation with the system prompt and only the settings that are set', () => {
  const settings = { ...DEFAULT_SETTINGS, systemPrompt: ' be short ', temperature: 0, maxTokens: 5, stop: ['END'] }
  const answer = createTestMessage({ role: 'assistant', text: 'one' })
  const path = [createTestMessage({ text: 'a' }), answer, createTestMessage({ text: 'b' })]
  expect(buildChatBody({ model: 'm', settings, path })).toEqual({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      { role: 'system', content: 'be short' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'b' },
    ],
    temperature: 0,
    max_tokens: 5,
    stop: ['END'],
  })
})

test('leaves out answers without text and asks to go on with an unfinished one', () => {
  const failed = createTestMessage({ role: 'assistant', state: 'failed' })
  const part = createTestMessage({ role: 'assistant', text: 'half' })
  const { messages } = buildChatBody({
    model: 'm',
    settings: DEFAULT_SETTINGS,
    path: [createTestMessage({ text: 'a' }), failed, createTestMessage({ text: 'b' }), part],
  })
  expect(messages).toEqual([
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'half' },
    { role: 'user', content: expect.stringContaining('Continue') },
  ])
})

test('puts text files into the text, in a fence that holds', () => {
  expect(toSentText(question)).toBe('look\n\nFile a.md:\n````\n```\nx\n```\n````')
})

test('sends pictures and sounds as parts of the chat format', () => {
  const { messages } = buildChatBody({
    model: 'm',
    settings: { ...DEFAULT_SETTINGS, isThinking: false },
    path: [question],
  })
  expect(messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: toSentText(question) },
        { type: 'image_url', image_url: { url: picture.data } },
        { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
      ],
    },
  ])
})

test('asks for an answer in the background with a stored stream', () => {
  const settings = { ...DEFAULT_SETTINGS, systemPrompt: 'short', isBackground: true, maxTokens: 9, isThinking: false }
  expect(buildBackgroundBody({ model: 'm', settings, path: [question] })).toEqual({
    model: 'm',
    background: true,
    store: true,
    stream: true,
    instructions: 'short',
    metadata: { enable_thinking: 'false' },
    max_output_tokens: 9,
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: toSentText(question) },
          { type: 'input_image', image_url: picture.data },
          { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
        ],
      },
    ],
  })
})
